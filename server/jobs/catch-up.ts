import type { Context, Log } from "#core/context.ts";
import type { JobName } from "#core/jobs.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { JOB_NAMES, JOBS } from "./job-registry.ts";

/** How long the catch-up waits after the first broken connection, because an outage breaks many at once. */
const CALM_MS = 3_000;
const RETRY_MS = 5_000;
/** The minimum time between two catch-ups: poolers often cut idle connections, which looks like an outage. */
const AT_MOST_EVERY_MS = 60_000;

export interface CatchUpParts {
  systemContext(): Context;
  jobs: { triggerSoon(name: JobName): void };
  onBrokenConnection(listener: () => void): void;
}

/**
 * Reconciles all open orders at start-up and triggers the jobs, because a crash or a lost webhook may have left work.
 * The shop already serves visitors in the meantime.
 */
export async function catchUp(shop: CatchUpParts, log: Log): Promise<void> {
  try {
    await reconcileOrders(shop.systemContext(), { all: true });
  } catch (error) {
    log.error({ err: error }, "orders could not be reconciled at start-up; the job retries");
  }
  triggerJobs(shop);
}

/**
 * Reconciles the latest orders after an outage of the database, because reports of payments may have been lost. Retries
 * until that works.
 *
 * @returns a function that stops watching for outages
 */
export function catchUpAfterOutages(
  shop: CatchUpParts,
  log: Log,
  waits = { calmMs: CALM_MS, retryMs: RETRY_MS, atMostEveryMs: AT_MOST_EVERY_MS },
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let lastDone = Number.NEGATIVE_INFINITY;
  let stopped = false;

  const schedule = (ms: number) => {
    timer ??= setTimeout(() => void attempt(), ms).unref();
  };
  const attempt = async () => {
    try {
      await reconcileOrders(shop.systemContext(), { all: false, recent: true });
      triggerJobs(shop);
      lastDone = performance.now();
      timer = undefined;
    } catch (error) {
      log.warn({ err: error }, "orders could not be reconciled after an outage; trying again");
      timer = undefined;
      if (!stopped) schedule(waits.retryMs);
    }
  };
  shop.onBrokenConnection(() => {
    if (stopped) return;
    const remainingMs = lastDone + waits.atMostEveryMs - performance.now();
    schedule(Math.max(waits.calmMs, remainingMs));
  });
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function triggerJobs({ jobs }: CatchUpParts): void {
  for (const name of JOB_NAMES) if (JOBS[name].catchesUp) jobs.triggerSoon(name);
}
