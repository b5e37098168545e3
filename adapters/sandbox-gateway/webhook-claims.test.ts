import { expect, test } from "vitest";
import { nextTry } from "./backoff.ts";

const createdAt = new Date("2026-11-21T10:00:00Z");

test.each([
  [1, 1_000],
  [2, 2_000],
  [3, 5_000],
  [4, 15_000],
  [5, 60_000],
  [6, 300_000],
  [200, 300_000],
])("after try %i there is a pause of %i ms", (tries, pause) => {
  expect(nextTry(tries, createdAt, createdAt)).toEqual(new Date(createdAt.getTime() + pause));
});

test("tries end after a day", () => {
  const dayLater = new Date("2026-11-22T10:00:00Z");
  expect(nextTry(290, createdAt, new Date(dayLater.getTime() - 1))).not.toBeNull();
  expect(nextTry(291, createdAt, dayLater)).toBeNull();
});
