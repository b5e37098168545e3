import { expect, test } from "vitest";
import { isOlderVersion } from "#contracts/compare-versions.ts";
import { formatDate, formatTimeLeft } from "./time-left.ts";

const now = new Date("2026-11-22T10:00:00Z");

test.each([
  [18 * 86_400, "18 days"],
  [2 * 86_400, "2 days"],
  [30 * 86_400 - 1, "30 days"],
  [86_400, "1 day"],
  [86_400 - 1, "23 h 59 min"],
  [5 * 3600 + 20 * 60, "5 h 20 min"],
  [3600, "1 h 0 min"],
  [3599, "59 min"],
  [60, "1 min"],
  [40, "40 s"],
  [0, null],
  [-1, null],
])("%i seconds are shown as %s", (seconds, text) => {
  expect(formatTimeLeft(new Date(now.getTime() + seconds * 1000), now)).toBe(text);
});

test.each([
  ["1.0.0", "1.0.1", true],
  ["1.9.0", "1.10.0", true],
  ["1.0", "1.0.0", false],
  ["2.0.0", "1.9.9", false],
  ["1.0.0", "1.0.0", false],
])("version %s beside %s is older: %s", (installed, served, isOlder) => {
  expect(isOlderVersion(installed, served)).toBe(isOlder);
});

test("a date is shown as dd/mm/yy", () => {
  expect(formatDate(new Date(2026, 0, 5, 23, 59))).toBe("05/01/26");
});
