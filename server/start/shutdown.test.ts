import { afterEach, beforeEach, expect, test } from "vitest";
import { type Shutdown, watchForShutdown } from "./shutdown.ts";

let time = 0;
let shutdown: Shutdown;
beforeEach(() => {
  time = 0;
  shutdown = watchForShutdown(() => time);
});
afterEach(() => shutdown.unwatch());

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("the signal %s asks the shop to stop", (signal) => {
  expect(shutdown.stop.aborted).toBe(false);
  process.emit(signal);
  expect([shutdown.stop.aborted, shutdown.force.aborted]).toEqual([true, false]);
});

test("the repeated signals of one Ctrl-C count as one, and a later one forces the end", () => {
  process.emit("SIGINT");
  time = 400;
  process.emit("SIGINT");
  expect(shutdown.force.aborted).toBe(false);
  time = 1_500;
  process.emit("SIGINT");
  expect(shutdown.force.aborted).toBe(true);
});

test("the first failure is kept and asks the shop to stop", () => {
  const first = new Error("first");
  shutdown.fail(first);
  shutdown.fail(new Error("second"));
  expect(shutdown.failure()).toBe(first);
  expect(shutdown.stop.aborted).toBe(true);
});
