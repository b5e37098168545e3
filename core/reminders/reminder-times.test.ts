import { expect, test } from "vitest";
import { addDays, HOUR, parseLocalDateTime } from "../time.ts";
import { dueReminder, isReminderHour } from "./reminder-times.ts";

const timeZone = "Asia/Kolkata";
const at = (text: string): Date => {
  const moment = parseLocalDateTime(text, timeZone);
  if (moment === null) throw new Error(`${text} is no time`);
  return moment;
};
const LONG_AGO = new Date(0);

/** The reminder of a pass of some days, at each of the times. */
const remindersOf = (days: number, end: string, times: readonly string[], since = LONG_AGO) =>
  times.map((now) =>
    dueReminder({ startsAt: addDays(at(end), -days), expiresAt: at(end) }, { now: at(now), since, timeZone }),
  );

test.each([
  14, 30, 365,
])("a pass of %d days is reminded of three days before its end, and on its last day", (days) => {
  expect(
    remindersOf(days, "2026-12-20T18:00", [
      "2026-12-17T08:59",
      "2026-12-17T09:00",
      "2026-12-19T12:00",
      "2026-12-20T08:59",
      "2026-12-20T09:00",
      "2026-12-20T18:00",
    ]),
  ).toEqual([null, "days-before", "days-before", "days-before", "last-day", null]);
});

test.each([
  5, 7, 13,
])("a pass of %d days is reminded of one day before its end, and not on its last day", (days) => {
  expect(
    remindersOf(days, "2026-12-20T18:00", ["2026-12-19T08:59", "2026-12-19T09:00", "2026-12-20T09:00"]),
  ).toEqual([null, "days-before", "days-before"]);
});

test.each([1, 4])("a pass of %d days is not reminded of", (days) => {
  expect(remindersOf(days, "2026-12-20T18:00", ["2026-12-19T09:00", "2026-12-20T09:00"])).toEqual([
    null,
    null,
  ]);
});

test("a pass that ends in the morning has its last reminder on the day before", () => {
  expect(
    remindersOf(30, "2026-12-20T09:30", ["2026-12-19T08:59", "2026-12-19T09:00", "2026-12-20T09:00"]),
  ).toEqual(["days-before", "last-day", "last-day"]);
});

test("what was due before the reminders were turned on is not sent", () => {
  const times = ["2026-12-18T12:00", "2026-12-20T09:00"];
  expect(remindersOf(30, "2026-12-20T18:00", times, at("2026-12-17T09:01"))).toEqual([null, "last-day"]);
  expect(remindersOf(30, "2026-12-20T18:00", times, at("2026-12-20T10:00"))).toEqual([null, null]);
});

test("mails are sent from 9 to 20 o'clock in the store", () => {
  const hours = Array.from(
    { length: 24 },
    (_, hour) => new Date(at("2026-12-20T00:30").getTime() + hour * HOUR),
  );
  expect(hours.map((now) => isReminderHour(now, timeZone)).indexOf(true)).toBe(9);
  expect(hours.filter((now) => isReminderHour(now, timeZone))).toHaveLength(11);
});
