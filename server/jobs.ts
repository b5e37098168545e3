import { setTimeout as delay } from "node:timers/promises";
import { lte, sql } from "drizzle-orm";
import { backUpWhenDue } from "#core/backups/backups.server.ts";
import { runBulkActions } from "#core/bulk-actions/run-bulk-actions.server.ts";
import { recountStocks } from "#core/catalog/stock.server.ts";
import { expireHolds } from "#core/checkout/end-checkout.server.ts";
import type { Context, Log } from "#core/context.ts";
import { tellOfMissingCredentials } from "#core/credentials/tool-credentials.server.ts";
import { purgeExpired } from "#core/housekeeping/purge-expired.server.ts";
import { sendQueuedMail } from "#core/mail/send-queued-mail.server.ts";
import { completeActivePasses } from "#core/passes/complete-active-passes.server.ts";
import { processRefunds } from "#core/payments/process-refunds.server.ts";
import { readDisputes } from "#core/payments/read-disputes.server.ts";
import { readPayers } from "#core/payments/read-payers.server.ts";
import { readRestoredOrders } from "#core/payments/read-restored-orders.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { processWebhookEvents } from "#core/payments/webhook-events.server.ts";
import type { JobName, Jobs } from "#core/ports.ts";
import { dropOutdatedReminders, remindBuyers } from "#core/reminders/remind-buyers.server.ts";
import { auditLedger } from "#core/reports/audit-ledger.server.ts";
import { tellOfOldBackup } from "#core/reports/tell-of-old-backup.server.ts";
import { tellOfStock } from "#core/stock-alerts/stock-alerts.server.ts";
import { SECOND } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { jobRuns } from "#db/tables/operations.ts";

/** Besides its triggers, each job runs every minute. */
interface Job {
  /** Whether the job also runs at start-up and after an outage of the database. */
  readonly catchesUp: boolean;
  /** Milliseconds between a trigger and the run, so that one run does the work of many triggers. */
  readonly delayMs?: number;
  /** The operation, called with a system context. */
  run(ctx: Context): Promise<unknown>;
}

async function sendMail(ctx: Context): Promise<void> {
  await dropOutdatedReminders(ctx);
  await sendQueuedMail(ctx);
}

/** Every job of the shop. The runner and the catch-up read this table. */
export const JOBS: Readonly<Record<JobName, Job>> = {
  // The catch-up reconciles more orders than those that are due, so it calls the operation itself.
  "reconcile-orders": {
    catchesUp: false,
    run: (ctx) => reconcileOrders(ctx, { all: false }),
  },
  "read-restored-orders": { catchesUp: true, run: readRestoredOrders },
  "read-payers": { catchesUp: false, run: readPayers },
  // In this time the buyer's browser has usually confirmed the payment, and its events need no request to the gateway.
  "process-webhook-events": {
    catchesUp: true,
    delayMs: 300,
    run: processWebhookEvents,
  },
  "process-refunds": { catchesUp: true, run: processRefunds },
  // Once a day by itself.
  "read-disputes": { catchesUp: false, run: readDisputes },
  "expire-holds": { catchesUp: true, run: expireHolds },
  // In this time the transaction that wrote the mail has usually committed.
  "send-mail": { catchesUp: true, delayMs: 300, run: sendMail },
  "audit-ledger": { catchesUp: false, run: auditLedger },
  "tell-owner": {
    catchesUp: false,
    run: (ctx) => Promise.all([tellOfMissingCredentials(ctx), tellOfOldBackup(ctx)]),
  },
  // Every change of a tool, an access code or a credential triggers it.
  "tell-of-stock": { catchesUp: false, delayMs: 300, run: tellOfStock },
  "remind-buyers": { catchesUp: false, run: remindBuyers },
  "recount-stock": { catchesUp: false, run: recountStocks },
  "run-bulk-actions": { catchesUp: true, run: runBulkActions },
  "purge-expired": { catchesUp: false, run: purgeExpired },
  "back-up": { catchesUp: false, run: backUpWhenDue },
};

function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

export const JOB_NAMES: readonly JobName[] = Object.keys(JOBS).filter(isJobName);

/** How often a process looks for jobs that are due. */
const TICK_MS = 15 * SECOND;
/** A minute, and a second less, because timers are not exact. */
const INTERVAL_SECONDS = 59;
const SLOW_MS = 5 * 60_000;
/** A database that was lost usually answers again after this time. */
const RETRY_MS = 5_000;

export interface JobRunner extends Jobs {
  /** Starts to run the jobs: those that are due, now and every minute, and those that are triggered from now on. */
  start(): void;
  /** Starts no more runs and waits for the runs in progress. */
  stop(): Promise<void>;
}

/**
 * Claims the jobs that are due: of the processes on one database, one gets each job every minute. A process that is
 * killed leaves nothing behind, and another process gets the job in the next minute.
 */
export async function claimDueJobs(db: Database): Promise<JobName[]> {
  const claimed = await db
    .insert(jobRuns)
    .values(
      JOB_NAMES.map((name) => ({
        name,
        nextRunAt: sql`now() + make_interval(secs => ${INTERVAL_SECONDS})`,
      })),
    )
    .onConflictDoUpdate({
      target: jobRuns.name,
      set: { nextRunAt: sql`excluded.next_run_at` },
      setWhere: lte(jobRuns.nextRunAt, sql`now()`),
    })
    .returning({ name: jobRuns.name });
  return claimed.map(({ name }) => name).filter(isJobName);
}

/**
 * Runs the jobs of the registry, every minute and when they are triggered.
 *
 * @param options.run runs a job; called for several jobs at once, but never twice at once for the same job
 */
export function createJobRunner(options: {
  db: Database;
  run: (name: JobName) => Promise<void>;
  log: Log;
  tickMs?: number;
}): JobRunner {
  const { db, log, tickMs = TICK_MS } = options;
  const inProgress = new Map<JobName, Promise<void>>();
  const triggeredAgain = new Set<JobName>();
  const retries = new Map<JobName, NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<void> | null = null;
  /** A process that only runs a command starts no jobs, so its triggers do nothing. */
  let running = false;

  const runOnce = async (name: JobName) => {
    clearTimeout(retries.get(name));
    const slow = setInterval(() => log.error({ job: name }, "a job has been running for minutes"), SLOW_MS);
    try {
      await options.run(name);
    } catch (error) {
      log.error({ err: error, job: name }, "job failed; it will run again");
      retries.set(name, setTimeout(() => triggerSoon(name), RETRY_MS).unref());
    } finally {
      clearInterval(slow);
    }
  };
  const runUntilDone = async (name: JobName) => {
    const { delayMs = 0 } = JOBS[name];
    do {
      if (delayMs > 0) await delay(delayMs);
      triggeredAgain.delete(name);
      await runOnce(name);
    } while (triggeredAgain.has(name) && running);
    inProgress.delete(name);
  };
  const triggerSoon = (name: JobName): void => {
    if (!running) return;
    if (inProgress.has(name)) triggeredAgain.add(name);
    else inProgress.set(name, runUntilDone(name));
  };
  const tick = async () => {
    try {
      for (const name of await claimDueJobs(db)) triggerSoon(name);
    } catch (error) {
      log.warn({ err: error }, "the jobs that are due could not be read; trying again");
    }
    ticking = null;
  };
  const tickUnlessTicking = () => {
    ticking ??= tick();
  };

  return {
    triggerSoon,
    start() {
      running = true;
      tickUnlessTicking();
      timer = setInterval(tickUnlessTicking, tickMs);
    },
    async stop() {
      running = false;
      clearInterval(timer);
      for (const retry of retries.values()) clearTimeout(retry);
      await ticking;
      await Promise.allSettled(inProgress.values());
    },
  };
}

/** How long the catch-up waits after the first broken connection, because an outage breaks many at once. */
const CALM_MS = 3_000;
const CATCH_UP_RETRY_MS = 5_000;
/** The minimum time between two catch-ups: poolers often cut idle connections, which looks like an outage. */
const AT_MOST_EVERY_MS = 60_000;

interface CatchUpParts {
  systemContext(): Context;
  jobs: { triggerSoon(name: JobName): void };
  onBrokenConnection(listener: () => void): void;
}

/**
 * Reconciles all open orders at start-up and triggers the jobs, because a crash or a lost webhook may have left work, and stores
 * anew what an older version has stored otherwise. The shop already serves visitors in the meantime.
 */
export async function catchUp(shop: CatchUpParts, log: Log, stopping: AbortSignal): Promise<void> {
  try {
    await reconcileOrders(shop.systemContext(), { all: true });
  } catch (error) {
    log.error({ err: error }, "orders could not be reconciled at start-up; the job retries");
  }
  triggerJobs(shop);
  try {
    await completeActivePasses(shop.systemContext(), stopping);
  } catch (error) {
    log.error({ err: error }, "imported passes could not be stored as completed; the next start continues");
  }
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
  waits = { calmMs: CALM_MS, retryMs: CATCH_UP_RETRY_MS, atMostEveryMs: AT_MOST_EVERY_MS },
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
