import { setTimeout as delay } from "node:timers/promises";
import type { Health, HealthReport } from "#core/health/health-check.ts";
import { MINUTE, SECOND } from "#core/time.ts";

/** When somebody looks at the page and the report is older than this, a new one is made. */
const OLD_MS = 5 * MINUTE;
/** The pause between the end of a run and the start of the next one. */
const PAUSE_MS = 10 * SECOND;

/**
 * The health checks of a process that serves the shop. At most one run takes place at a time, and not more often than every
 * ten seconds: each run signs in at the mail server and asks the gateway.
 *
 * @param options.now the time, in milliseconds
 * @param options.wait waits for a number of milliseconds
 */
export function createHealth(
  run: () => Promise<HealthReport>,
  {
    now = Date.now,
    wait = (ms) => delay(ms, undefined, { ref: false }),
  }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): Health {
  let report: HealthReport | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const start = async (inMs: number) => {
    try {
      if (inMs > 0) await wait(inMs);
      report = await run();
    } finally {
      endedAt = now();
      running = null;
    }
  };
  return {
    latest({ again }) {
      const age = Math.abs(now() - endedAt);
      if (running === null && (again || age > OLD_MS)) {
        running = start(PAUSE_MS - age);
        // When a run throws, the report before it stays.
        running.catch(() => undefined);
      }
      return { report, isRunning: running !== null };
    },
  };
}
