import type { Context, Log } from "#core/context.ts";
import type { JobName } from "#core/jobs.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";

const JOBS: readonly JobName[] = ["handle-gateway-events", "carry-out-refunds", "end-holds", "send-mail"];
/** A database that goes away breaks many connections at once. */
const CALM_MS = 3_000;
const TRY_AGAIN_MS = 5_000;
/** Poolers cut idle connections all day long; that is no outage, and not told from one. */
const AT_MOST_EVERY_MS = 60_000;

export interface CatchUpParts {
  systemContext(): Context;
  jobs: { triggerSoon(name: JobName): void };
  onBrokenConnection(listener: () => void): void;
}

/** What a crash or a dropped webhook may have left behind is looked for at once, while visitors are served already. */
export async function catchUp(shop: CatchUpParts, log: Log): Promise<void> {
  try {
    await reconcileOrders(shop.systemContext(), { all: true });
  } catch (error) {
    log.error({ err: error }, "the orders could not be reconciled at start-up; the job will");
  }
  for (const name of JOBS) shop.jobs.triggerSoon(name);
}

/**
 * After the database went away and came back, news of payments may have been lost: the gateway is asked about the latest
 * orders, again and again until that works.
 *
 * @returns stops looking
 */
export function catchUpAfterOutages(
  shop: CatchUpParts,
  log: Log,
  waits = { calmMs: CALM_MS, tryAgainMs: TRY_AGAIN_MS, atMostEveryMs: AT_MOST_EVERY_MS },
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let lastDone = Number.NEGATIVE_INFINITY;
  let stopped = false;

  const plan = (ms: number) => {
    timer ??= setTimeout(() => void look(), ms).unref();
  };
  const look = async () => {
    try {
      await reconcileOrders(shop.systemContext(), { all: false, recent: true });
      for (const name of JOBS) shop.jobs.triggerSoon(name);
      lastDone = performance.now();
      timer = undefined;
    } catch (error) {
      log.warn({ err: error }, "the database is not back yet");
      timer = undefined;
      if (!stopped) plan(waits.tryAgainMs);
    }
  };
  shop.onBrokenConnection(() => {
    if (stopped) return;
    const rest = lastDone + waits.atMostEveryMs - performance.now();
    plan(Math.max(waits.calmMs, rest));
  });
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
