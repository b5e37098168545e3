import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { HealthReport } from "#core/health/health-check.ts";
import { MINUTE, SECOND } from "#core/time.ts";
import { createHealth } from "./shared-health.ts";

/** Each run, and each wait before one, ends when the test says so. */
function manualHealth() {
  let now = 1_000_000;
  const runs: { resolve: (report: HealthReport) => void; reject: (error: Error) => void }[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  const errors: object[] = [];
  const health = createHealth(
    () =>
      new Promise<HealthReport>((resolve, reject) => {
        runs.push({ resolve, reject });
      }),
    { error: (facts) => void errors.push(facts) },
    {
      now: () => now,
      wait: (ms) =>
        new Promise<void>((end) => {
          waits.push({ ms, end });
        }),
    },
  );
  return {
    health,
    runs,
    errors,
    waits,
    /** Ends the run that is in progress. */
    async finish(error?: Error) {
      const run = runs.at(-1);
      if (error) run?.reject(error);
      else run?.resolve({ checkedAt: new Date(now), lines: [] });
      await turn();
    },
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test("however often it is asked for, one run takes place at a time, ten seconds after the one before", async () => {
  const { health, runs, waits, finish, advance } = manualHealth();
  for (let at = 0; at < 50; at++)
    expect(health.latest({ again: at % 2 === 0 })).toEqual({
      report: null,
      isRunning: true,
      hasFailed: false,
    });
  expect(runs).toHaveLength(1);
  await finish();
  expect(health.latest({ again: false })).toMatchObject({ report: { lines: [] }, isRunning: false });
  advance(4 * SECOND);
  // The report before it is shown while the new one is made.
  for (let at = 0; at < 50; at++)
    expect(health.latest({ again: true })).toMatchObject({ report: { lines: [] }, isRunning: true });
  expect(waits.map(({ ms }) => ms)).toEqual([6 * SECOND]);
  expect(runs).toHaveLength(1);
  waits[0]?.end();
  await turn();
  expect(runs).toHaveLength(2);
  await finish();
  advance(MINUTE);
  health.latest({ again: true });
  expect(runs).toHaveLength(3);
});

test("a page that is only looked at starts a run after five minutes", async () => {
  const { health, finish, advance } = manualHealth();
  health.latest({ again: false });
  await finish();
  advance(4 * MINUTE);
  expect(health.latest({ again: false }).isRunning).toBe(false);
  advance(2 * MINUTE);
  expect(health.latest({ again: false }).isRunning).toBe(true);
});

test("a run that fails is logged and leaves the report before it, and the next one takes place", async () => {
  const { health, errors, finish, advance } = manualHealth();
  health.latest({ again: true });
  await finish();
  advance(MINUTE);
  health.latest({ again: true });
  const error = new Error("no");
  await finish(error);
  expect(errors).toEqual([{ err: error }]);
  expect(health.latest({ again: false })).toMatchObject({
    report: { lines: [] },
    isRunning: false,
    hasFailed: true,
  });
  advance(MINUTE);
  expect(health.latest({ again: true }).isRunning).toBe(true);
  await finish();
  expect(health.latest({ again: false })).toMatchObject({ isRunning: false, hasFailed: false });
});

test("no report is there when the first run fails, and whoever asks again starts the next run", async () => {
  const { health, runs, waits, finish } = manualHealth();
  health.latest({ again: false });
  await finish(new Error("a file of the shop is missing"));
  expect(health.latest({ again: false })).toEqual({ report: null, isRunning: false, hasFailed: true });
  expect(runs).toHaveLength(1);
  expect(health.latest({ again: true })).toEqual({ report: null, isRunning: true, hasFailed: true });
  waits[0]?.end();
  await turn();
  await finish();
  expect(health.latest({ again: false })).toMatchObject({ report: { lines: [] }, hasFailed: false });
});
