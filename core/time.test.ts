import { expect, test } from "vitest";
import {
  addDays,
  DAY,
  formatDate,
  formatDateTime,
  formatDays,
  formatEnd,
  formatLocalDateTime,
  formatTimeLeft,
  HOUR,
  MINUTE,
  parseLocalDateTime,
} from "./time.ts";

const now = new Date("2026-11-21T20:00:00Z");
const later = (ms: number) => new Date(now.getTime() + ms);

test("a date is formatted in the given time zone, not in the server's", () => {
  expect(formatDate(now, "Asia/Kolkata")).toBe("22/11/26");
  expect(formatDate(now, "UTC")).toBe("21/11/26");
});

test.each([
  ["2075-12-31T18:00:00Z", "31/12/75, 23:30"],
  ["2076-01-01T00:00:00Z", "No end"],
  ["2099-12-31T00:00:00Z", "No end"],
  ["9999-12-31T00:00:00Z", "No end"],
])("the end %s of a pass is shown as %s", (end, text) => {
  expect(formatEnd(new Date(end), "Asia/Kolkata")).toBe(text);
});

test("a date with its time is formatted to the minute, with a 24-hour clock", () => {
  expect(formatDateTime(now, "Asia/Kolkata")).toBe("22/11/26, 01:30");
  expect(formatDateTime(new Date("2026-11-21T18:30:59Z"), "Asia/Kolkata")).toBe("22/11/26, 00:00");
  expect(formatDateTime(now, "UTC")).toBe("21/11/26, 20:00");
});

test.each([
  [18 * DAY + 5 * HOUR, "18 days"],
  [7 * DAY - 5000, "7 days"],
  [DAY + 11 * HOUR, "1 day"],
  [DAY, "1 day"],
  [DAY - 1, "23 h 59 min"],
  [5 * HOUR + 20 * MINUTE, "5 h 20 min"],
  [12 * MINUTE + 59_000, "12 min"],
  [MINUTE - 1, "59 s"],
  [40_000, "40 s"],
  [1, "1 s"],
  [-5, "0 s"],
])("the time left of %i ms is formatted as %s", (ms, text) => {
  expect(formatTimeLeft(later(ms), now)).toBe(text);
});

test("a number of days is added as days of 24 hours", () => {
  expect(addDays(now, 30).getTime() - now.getTime()).toBe(30 * DAY);
});

test("a validity is a number of days", () => {
  expect(formatDays(1)).toBe("1 day");
  expect(formatDays(30)).toBe("30 days");
});

test.each([
  ["2026-12-31T23:59", "Asia/Kolkata", "2026-12-31T18:29:00.000Z"],
  ["2026-12-31T00:00", "UTC", "2026-12-31T00:00:00.000Z"],
  ["2028-02-29T12:30", "America/New_York", "2028-02-29T17:30:00.000Z"],
  ["2026-07-01T12:30", "America/New_York", "2026-07-01T16:30:00.000Z"],
  ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ["2026-10-25T04:00", "Europe/Berlin", "2026-10-25T03:00:00.000Z"],
])("a local time %s in %s is read as %s, and written again", (text, timeZone, moment) => {
  const date = parseLocalDateTime(text, timeZone);
  expect(date?.toISOString()).toBe(moment);
  expect(formatLocalDateTime(new Date(moment), timeZone)).toBe(text);
});

test("the seconds of a local time are ignored", () => {
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
])("a local time is not read from %j", (text) => {
  expect(parseLocalDateTime(text, "Asia/Kolkata")).toBeNull();
});
