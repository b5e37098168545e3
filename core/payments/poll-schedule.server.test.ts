import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { nextPollAt, nextPollWithoutEnd } from "./payment-orders.server.ts";

const createdAt = new Date("2026-11-21T06:30:00Z");
const after = (ms: number) => new Date(createdAt.getTime() + ms);

/** The ages of an order at which it is polled. */
function agesAtChecks(): number[] {
  const ages: number[] = [];
  for (let at: Date | null = after(0); at !== null; at = nextPollAt(createdAt, at)) {
    ages.push(at.getTime() - createdAt.getTime());
  }
  return ages;
}

const pauses = () =>
  agesAtChecks().flatMap((age, i, ages) => (i === 0 ? [] : [[age, age - (ages[i - 1] ?? 0)] as const]));

test("an order is polled after 3 minutes, then every 5 minutes for the first 20", () => {
  expect(agesAtChecks().slice(0, 6)).toEqual([0, 3, 8, 13, 18, 23].map((minutes) => minutes * MINUTE));
});

test("an unreported event is found within minutes in an order's first two hours, within one hour in its first five, within 12 hours later", () => {
  for (const [age, pause] of pauses()) {
    if (age <= 2 * HOUR) expect(pause).toBeLessThanOrEqual(30 * MINUTE);
    if (age <= 5 * HOUR) expect(pause).toBeLessThanOrEqual(HOUR);
    expect(pause).toBeLessThanOrEqual(12 * HOUR);
  }
});

test("an order is polled at most 35 times, the last time after five days", () => {
  expect(agesAtChecks().length).toBeLessThanOrEqual(35);
  expect(agesAtChecks().at(-1)).toBe(5 * DAY);
  expect(nextPollAt(createdAt, after(6 * DAY))).toBeNull();
});

test("an order that was polled in between is polled again after the interval of its age", () => {
  expect(nextPollAt(createdAt, after(MINUTE))).toEqual(after(3 * MINUTE));
  expect(nextPollAt(createdAt, after(4 * MINUTE))).toEqual(after(9 * MINUTE));
  expect(nextPollAt(createdAt, after(2 * HOUR))).toEqual(after(2.5 * HOUR));
});

test("an order that the gateway refuses is never given up", () => {
  expect(nextPollWithoutEnd(createdAt, after(90 * DAY))).toEqual(after(90 * DAY + 12 * HOUR));
});
