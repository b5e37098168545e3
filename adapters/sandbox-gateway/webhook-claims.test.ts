import { expect, test } from "vitest";
import { nextAttempt } from "./webhook-delivery.ts";

const createdAt = new Date("2026-11-21T10:00:00Z");

test.each([
  [1, 1_000],
  [2, 2_000],
  [3, 5_000],
  [4, 15_000],
  [5, 60_000],
  [6, 300_000],
  [200, 300_000],
])("after delivery attempt %i the next one follows %i ms later", (tries, pause) => {
  expect(nextAttempt(tries, createdAt, createdAt)).toEqual(new Date(createdAt.getTime() + pause));
});

test("a webhook is not delivered again after a day without success", () => {
  const dayLater = new Date("2026-11-22T10:00:00Z");
  expect(nextAttempt(290, createdAt, new Date(dayLater.getTime() - 1))).not.toBeNull();
  expect(nextAttempt(291, createdAt, dayLater)).toBeNull();
});
