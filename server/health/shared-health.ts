import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "#core/context.ts";
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
  log: Pick<Log, "error">,
  {
    now = Date.now,
    wait = (ms) => delay(ms, undefined, { ref: false }),
  }: { now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
): Health {
  let report: HealthReport | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  let hasFailed = false;

  const start = async (inMs: number) => {
    isRunning = true;
    try {
      if (inMs > 0) await wait(inMs);
      report = await run();
      hasFailed = false;
    } catch (error) {
      // The report before it stays.
      hasFailed = true;
      log.error({ err: error }, "the health checks could not be run");
    } finally {
      endedAt = now();
      isRunning = false;
    }
  };
  return {
    latest({ again }) {
      const age = Math.abs(now() - endedAt);
      if (!isRunning && (again || age > OLD_MS)) void start(PAUSE_MS - age);
      return { report, isRunning, hasFailed };
    },
  };
}
