import type { Health, HealthReport } from "#core/health/health-check.ts";
import { MINUTE, SECOND } from "#core/time.ts";

/** A report is made anew when somebody looks at the page and it is this old. */
const OLD_MS = 5 * MINUTE;
/** The button makes a new one unless it is younger than this. */
const YOUNG_MS = 10 * SECOND;

/**
 * The health checks of a process that serves the shop. At most one run takes place at a time, and not more often than every
 * ten seconds: each run signs in at the mail server and asks the gateway.
 */
export function createHealth(run: () => Promise<HealthReport>, now: () => number = Date.now): Health {
  let report: HealthReport | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const start = async () => {
    try {
      report = await run();
    } finally {
      endedAt = now();
      running = null;
    }
  };
  return {
    latest({ again }) {
      const age = Math.abs(now() - endedAt);
      if (running === null && age > (again ? YOUNG_MS : OLD_MS)) {
        running = start();
        // A run that throws leaves the report before it.
        running.catch(() => undefined);
      }
      return { report, isRunning: running !== null };
    },
  };
}
