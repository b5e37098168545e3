import { expect, test } from "vitest";
import { endOfDay } from "../time.ts";
import { parseExpiryDay } from "./schemas.ts";

test.each([
  ["05-12-2026", { day: 5, month: 12, year: 2026 }],
  ["29-02-2028", { day: 29, month: 2, year: 2028 }],
  ["29-02-2027", null],
  ["31-04-2027", null],
  ["00-01-2027", null],
  ["01-13-2027", null],
  ["01-01-0027", null],
  ["2026-12-05", null],
  ["5-12-2026", null],
])("the expiry date %s is read as a day of the calendar, or as none", (text, day) => {
  expect(parseExpiryDay(text)).toEqual(day);
});

test.each([
  ["Asia/Kolkata", { day: 5, month: 12, year: 2026 }, "2026-12-05T18:29:59.000Z"],
  ["UTC", { day: 5, month: 12, year: 2026 }, "2026-12-05T23:59:59.000Z"],
  ["Pacific/Kiritimati", { day: 1, month: 1, year: 2027 }, "2027-01-01T09:59:59.000Z"],
  ["Europe/Berlin", { day: 28, month: 3, year: 2026 }, "2026-03-28T22:59:59.000Z"],
  ["Europe/Berlin", { day: 29, month: 3, year: 2026 }, "2026-03-29T21:59:59.000Z"],
  ["Europe/Berlin", { day: 25, month: 10, year: 2026 }, "2026-10-25T22:59:59.000Z"],
  ["America/Santiago", { day: 5, month: 9, year: 2026 }, "2026-09-06T03:59:59.000Z"],
])("a day ends at 23:59:59 in the time zone %s", (timeZone, day, end) => {
  expect(endOfDay(day, timeZone).toISOString()).toBe(end);
});
