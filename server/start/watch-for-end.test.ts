import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ending, watchForEnd } from "./watch-for-end.ts";

let time = 0;
let ending: Ending;
beforeEach(() => {
  time = 0;
  ending = watchForEnd(() => time);
});
afterEach(() => ending.unwatch());

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s stops", (signal) => {
  expect(ending.stop.aborted).toBe(false);
  process.emit(signal);
  expect([ending.stop.aborted, ending.hurry.aborted]).toEqual([true, false]);
});

test("the echoes of one Ctrl-C are one signal, a later one hurries", () => {
  process.emit("SIGINT");
  time = 400;
  process.emit("SIGINT");
  expect(ending.hurry.aborted).toBe(false);
  time = 1_500;
  process.emit("SIGINT");
  expect(ending.hurry.aborted).toBe(true);
});

test("the first failure is kept, and stops", () => {
  const first = new Error("first");
  ending.fail(first);
  ending.fail(new Error("second"));
  expect(ending.failure()).toBe(first);
  expect(ending.stop.aborted).toBe(true);
});
