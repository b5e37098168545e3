import { expect, test } from "vitest";
import { formatLocalDateTime, parseLocalDateTime } from "./local-time.ts";

test.each([
  ["2026-12-31T23:59", "Asia/Kolkata", "2026-12-31T18:29:00.000Z"],
  ["2026-12-31T00:00", "UTC", "2026-12-31T00:00:00.000Z"],
  ["2028-02-29T12:30", "America/New_York", "2028-02-29T17:30:00.000Z"],
  ["2026-07-01T12:30", "America/New_York", "2026-07-01T16:30:00.000Z"],
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ["2026-10-25T04:00", "Europe/Berlin", "2026-10-25T03:00:00.000Z"],
])("reads %s in %s as %s, and writes it again", (text, timeZone, moment) => {
  const date = parseLocalDateTime(text, timeZone);
  expect(date?.toISOString()).toBe(moment);
  expect(formatLocalDateTime(new Date(moment), timeZone)).toBe(text);
});

test("ignores seconds", () => {
  expect(parseLocalDateTime("2026-12-31T23:59:59", "UTC")?.toISOString()).toBe("2026-12-31T23:59:00.000Z");
});

test.each([
  "",
  "2026-02-30T10:00",
  "2026-13-01T10:00",
  "2026-12-31T24:01",
  "31-12-2026",
  "2026-12-31",
  "0000-01-01T00:00",
])("does not read %j", (text) => {
  expect(parseLocalDateTime(text, "Asia/Kolkata")).toBeNull();
});
