import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { nextCheckAt } from "./reconcile-schedule.ts";

const createdAt = new Date("2026-11-21T06:30:00Z");
const after = (ms: number) => new Date(createdAt.getTime() + ms);

test("an order is asked about after 15 minutes, then ever more rarely, a last time after five days, then never", () => {
  const ages: number[] = [];
  for (let at: Date | null = after(0); at !== null; at = nextCheckAt(createdAt, at)) {
    ages.push(at.getTime() - createdAt.getTime());
  }
  expect(ages.slice(0, 8)).toEqual([0, 15, 30, 60, 120, 240, 480, 960].map((minutes) => minutes * MINUTE));
  expect(ages.at(-1)).toBe(5 * DAY);
  const pauses = ages.slice(1).map((age, i) => age - (ages[i] ?? 0));
  expect(Math.max(...pauses)).toBe(12 * HOUR);
  expect(nextCheckAt(createdAt, after(6 * DAY))).toBeNull();
});
