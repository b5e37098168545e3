import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { nextCheckAt, nextCheckOrSeldom } from "./reconcile-schedule.ts";

const createdAt = new Date("2026-11-21T06:30:00Z");
const after = (ms: number) => new Date(createdAt.getTime() + ms);

function agesAtChecks(order: { paid: boolean }): number[] {
  const ages: number[] = [];
  for (let at: Date | null = after(0); at !== null; at = nextCheckAt(createdAt, at, order)) {
    ages.push(at.getTime() - createdAt.getTime());
  }
  return ages;
}

test("an order is asked about after 3 and 15 minutes, then ever more rarely, a last time after five days, then never", () => {
  const ages = agesAtChecks({ paid: false });
  expect(ages.slice(0, 9)).toEqual([0, 3, 15, 30, 60, 120, 240, 480, 960].map((minutes) => minutes * MINUTE));
  expect(ages.at(-1)).toBe(5 * DAY);
  const pauses = ages.slice(1).map((age, i) => age - (ages[i] ?? 0));
  expect(Math.max(...pauses)).toBe(12 * HOUR);
  expect(nextCheckAt(createdAt, after(6 * DAY))).toBeNull();
});

test("a question in between moves nothing closer than the next look", () => {
  expect(nextCheckAt(createdAt, after(MINUTE))).toEqual(after(3 * MINUTE));
  expect(nextCheckAt(createdAt, after(4 * MINUTE))).toEqual(after(16 * MINUTE));
});

test("a paid order is looked at for a second payment, more rarely", () => {
  const ages = agesAtChecks({ paid: true });
  expect(ages.slice(0, 4)).toEqual([0, 1, 2, 4].map((hours) => hours * HOUR));
  expect(ages.at(-1)).toBe(5 * DAY);
});

test("one that the gateway refuses to speak about is never given up", () => {
  expect(nextCheckOrSeldom(createdAt, after(90 * DAY))).toEqual(after(90 * DAY + 12 * HOUR));
});
