import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ending, watchForEnd } from "./watch-for-end.ts";

let time = 0;
let ending: Ending;
beforeEach(() => {
  time = 0;
  ending = watchForEnd(() => time);
});
afterEach(() => ending.unwatch());

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("the signal %s asks the shop to stop", (signal) => {
  expect(ending.stop.aborted).toBe(false);
  process.emit(signal);
  expect([ending.stop.aborted, ending.force.aborted]).toEqual([true, false]);
});

test("the repeated signals of one Ctrl-C count as one, and a later one forces the end", () => {
  process.emit("SIGINT");
  time = 400;
  process.emit("SIGINT");
  expect(ending.force.aborted).toBe(false);
  time = 1_500;
  process.emit("SIGINT");
  expect(ending.force.aborted).toBe(true);
});

test("the first failure is kept and asks the shop to stop", () => {
  const first = new Error("first");
  ending.fail(first);
  ending.fail(new Error("second"));
  expect(ending.failure()).toBe(first);
  expect(ending.stop.aborted).toBe(true);
});
