import { expect, test } from "vitest";
import { failed, type HealthCheck, ok, runChecks, skipped, sortBySeverity, warning } from "./health-check.ts";

const now = () => new Date("2026-11-21T10:00:00Z");
const run = (checks: readonly HealthCheck[], limitMs = 5_000) => runChecks(checks, { now, limitMs });
const statesOf = async (checks: readonly HealthCheck[]) =>
  Object.fromEntries((await run(checks)).lines.map(({ id, state }) => [id, state]));

test("a check that throws has failed, with the reason and without the values of a query, and the others go on", async () => {
  const query = Object.assign(new Error("Failed query: select 1\nparams: hunter2"), {
    query: "select 1",
    cause: new Error("it is gone"),
  });
  const { checkedAt, lines } = await run([
    { id: "node", run: () => Promise.reject(new Error("no such file.\nat line 1")) },
    {
      id: "disk",
      run: () => {
        throw query;
      },
    },
    { id: "memory", run: () => ok("Enough.") },
  ]);
  expect(checkedAt).toEqual(now());
  expect(lines).toEqual([
    expect.objectContaining({
      id: "node",
      name: "Node",
      state: "failed",
      detail: "It could not be checked: no such file.",
    }),
    expect.objectContaining({ id: "disk", detail: "It could not be checked: it is gone." }),
    { id: "memory", name: "Memory", state: "ok", detail: "Enough." },
  ]);
});

test("a check that never ends has failed at its limit, and is told so", async () => {
  let signal: AbortSignal | undefined;
  const { lines } = await run([
    {
      id: "mail",
      limitMs: 5,
      run: (own) => {
        signal = own;
        return new Promise(() => undefined);
      },
    },
  ]);
  expect(lines[0]).toMatchObject({ state: "failed", detail: expect.stringMatching(/no answer within/) });
  expect(signal?.aborted).toBe(true);
});

test("a check is skipped when one that it needs is not fine, and after one that has failed", async () => {
  const needs = (id: "schema" | "jobs" | "refunds"): HealthCheck => ({
    id,
    needs: id === "schema" ? ["database"] : ["schema"],
    run: () => ok(""),
  });
  const broken: HealthCheck = { id: "database", run: () => failed("No.", "Mend it.") };
  const chain = [needs("schema"), needs("jobs")];
  expect(await statesOf([broken, ...chain])).toEqual({
    database: "failed",
    schema: "skipped",
    jobs: "skipped",
  });
  const slow: HealthCheck = { id: "database", run: () => warning("Slow.", "Wait.") };
  expect(await statesOf([slow, ...chain])).toEqual({ database: "warning", schema: "ok", jobs: "ok" });
  const port: HealthCheck = { id: "port", after: ["keys"], run: () => ok("") };
  const keys = (verdict: ReturnType<typeof ok>): HealthCheck => ({ id: "keys", run: () => verdict });
  expect(await statesOf([keys(skipped("")), port])).toMatchObject({ port: "ok" });
  expect(await statesOf([keys(failed("", "")), port])).toMatchObject({ port: "skipped" });
  const { lines } = await run([broken, needs("schema")]);
  expect(lines[1]?.detail).toBe("Not checked, because it depends on “Database”.");
});

test("checks that do not need each other run at the same time", async () => {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  const waits: HealthCheck = { id: "mail", run: () => promise.then(() => ok("")) };
  const releases: HealthCheck = {
    id: "gateway",
    run: () => {
      resolve();
      return ok("");
    },
  };
  expect(await statesOf([waits, releases])).toEqual({ mail: "ok", gateway: "ok" });
});

test("failures come first, then warnings, each in the order of the checks", async () => {
  const { lines } = await run([
    { id: "node", run: () => ok("") },
    { id: "disk", run: () => warning("", "") },
    { id: "memory", run: () => skipped("") },
    { id: "mail", run: () => failed("", "") },
    { id: "gateway", run: () => failed("", "") },
  ]);
  expect(sortBySeverity(lines).map(({ id }) => id)).toEqual(["mail", "gateway", "disk", "memory", "node"]);
});
