import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { HealthReport } from "#core/health/health-check.ts";
import { MINUTE, SECOND } from "#core/time.ts";
import { createHealth } from "./shared-health.ts";

function manualHealth() {
  let now = 1_000_000;
  const runs: { resolve: (report: HealthReport) => void; reject: (error: Error) => void }[] = [];
  const health = createHealth(
    () =>
      new Promise<HealthReport>((resolve, reject) => {
        runs.push({ resolve, reject });
      }),
    () => now,
  );
  return {
    health,
    runs,
    report: (): HealthReport => ({ checkedAt: new Date(now), lines: [] }),
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test("however often it is asked for, one run takes place at a time, and not more often than every ten seconds", async () => {
  const { health, runs, report, advance } = manualHealth();
  for (let at = 0; at < 50; at++)
    expect(health.latest({ again: at % 2 === 0 })).toEqual({ report: null, isRunning: true });
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(report());
  await turn();
  advance(9 * SECOND);
  for (let at = 0; at < 50; at++) expect(health.latest({ again: true }).isRunning).toBe(false);
  expect(runs).toHaveLength(1);
  advance(2 * SECOND);
  // The old report is shown while the new one is made.
  expect(health.latest({ again: true })).toMatchObject({ report: { lines: [] }, isRunning: true });
  expect(runs).toHaveLength(2);
});

test("a page that is only looked at starts a run after five minutes", async () => {
  const { health, runs, report, advance } = manualHealth();
  health.latest({ again: false });
  runs[0]?.resolve(report());
  await turn();
  advance(4 * MINUTE);
  expect(health.latest({ again: false }).isRunning).toBe(false);
  advance(2 * MINUTE);
  expect(health.latest({ again: false }).isRunning).toBe(true);
});

test("a run that fails leaves the report before it, and the next one takes place", async () => {
  const { health, runs, report, advance } = manualHealth();
  health.latest({ again: true });
  runs[0]?.resolve(report());
  await turn();
  advance(MINUTE);
  health.latest({ again: true });
  runs[1]?.reject(new Error("no"));
  await turn();
  expect(health.latest({ again: false })).toMatchObject({ report: { lines: [] }, isRunning: false });
  advance(MINUTE);
  expect(health.latest({ again: true }).isRunning).toBe(true);
});
