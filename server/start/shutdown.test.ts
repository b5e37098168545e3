import { afterEach, beforeEach, expect, test } from "vitest";
import { StartupError } from "../embedded-postgres/startup-error.ts";
import { ConfigurationError } from "../env.ts";
import { describeFailure, type Shutdown, watchForShutdown } from "./shutdown.ts";

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

test("the first failure of the shop is kept and asks it to stop", () => {
  const first = new Error("first");
  shutdown.fail(first);
  shutdown.fail(new Error("second"));
  expect(shutdown.failure()).toBe(first);
  expect(shutdown.stop.aborted).toBe(true);
});

const described = (error: unknown) => describeFailure(error, { withStack: false });

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function failDeep(depth: number): Error {
  return depth === 0 ? new TypeError("items is not iterable") : failDeep(depth - 1);
}

test("a fault of the program is described with its stack and the stacks of its causes", () => {
  const text = described(new Error("the page failed", { cause: failDeep(6) }));
  expect(text).toMatch(/^Daypass stopped: the page failed\.\nError: the page failed\n {4}at /);
  expect(text).toContain("caused by TypeError: items is not iterable\n    at failDeep");
  expect(text.match(/at failDeep/g)).toHaveLength(7);
});

test("a failed query is described without its text and its values", () => {
  const query = "update accounts set password = $1";
  const message = `Failed query: ${query}\nparams: hunter2`;
  const text = described(Object.assign(new Error(message), { query, params: ["hunter2"] }));
  expect(text).not.toContain("hunter2");
  expect(text).toContain("a query failed");
  expect(text).toContain("shutdown.test.ts");
});

test.each([
  new StartupError("The disk is full."),
  new ConfigurationError("PORT must be a port number."),
  named("KeyError", "The vault key is missing."),
  named("CatalogueFileError", "line 3: no name\nline 5: no price"),
  named("BuildError", "The build failed; what it said is above."),
])("an error for the owner is described by its sentence alone: $name", (error) => {
  expect(described(error)).toBe(error.message);
  expect(describeFailure(error, { withStack: true })).toContain("shutdown.test.ts");
});

test("a thrown value that is no error is described by its text", () => {
  expect(described("no error at all")).toBe("Daypass stopped: no error at all.");
});
