import { sql } from "drizzle-orm";
import type { Pool } from "pg";
import { fromDrizzle, PgBoss } from "pg-boss";
import type { Log } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { JobName, Jobs } from "#core/jobs.ts";
import { causedByCanceledStatement, DatabaseUnavailableError } from "#db/database-unavailable.ts";
import { inSavepoint } from "#db/transaction.ts";

const NAMES: readonly JobName[] = [
  "end-holds",
  "reconcile-orders",
  "carry-out-refunds",
  "handle-gateway-events",
  "send-mail",
  "watch-money",
  "purge-expired",
];
const EVERY_MINUTE = "* * * * *";
const POLL_SECONDS = 15;
const SLOW_MS = 5 * 60_000;
/** A database that went away is usually back by then. */
const RETRY_MS = 5_000;

export interface JobRunner extends Jobs {
  /** Makes the queues, so that work can be asked for. */
  prepare(): Promise<void>;
  /** Looks for work every minute and when asked. */
  start(): Promise<void>;
  /** Stops taking work and waits for what is under way. */
  stop(): Promise<void>;
}

/**
 * Runs the shop's jobs. The queue's tables are disposable: each job scans our own rows, so losing a queue entry costs a
 * minute at most.
 *
 * @param run what each job does; may be called for several names at once, for one name never twice at once
 */
export function createJobRunner(options: {
  pool: Pool;
  run: (name: JobName) => Promise<void>;
  log: Log;
  /** How often the queue itself is asked, in seconds. */
  pollSeconds?: number;
}): JobRunner {
  const { log, pollSeconds = POLL_SECONDS } = options;
  // On the shop's own pool, which survives the loss of a connection at any moment.
  const boss = new PgBoss({
    db: { executeSql: (text, values) => options.pool.query(text, values).catch(rethrowForQueue) },
  });
  boss.on("error", (error) => log.warn({ err: restoreError(error) }, "job queue"));
  const underWay = new Map<JobName, Promise<void>>();
  const again = new Set<JobName>();
  const retries = new Map<JobName, NodeJS.Timeout>();
  let stopping = false;

  const runOnce = async (name: JobName) => {
    clearTimeout(retries.get(name));
    const slow = setInterval(() => log.error({ job: name }, "a job has been running for minutes"), SLOW_MS);
    try {
      await options.run(name);
    } catch (error) {
      log.error({ err: error, job: name }, "job failed; it will run again");
      retries.set(name, setTimeout(() => void triggerSoon(name), RETRY_MS).unref());
    } finally {
      clearInterval(slow);
    }
  };
  const runUntilDone = async (name: JobName) => {
    do {
      again.delete(name);
      await runOnce(name);
    } while (again.has(name) && !stopping);
    underWay.delete(name);
  };
  const triggerSoon = (name: JobName): Promise<void> => {
    if (stopping) return Promise.resolve();
    const running = underWay.get(name);
    if (running) {
      again.add(name);
      return running;
    }
    const started = runUntilDone(name);
    underWay.set(name, started);
    return started;
  };

  return {
    async enqueue(executor, name) {
      try {
        await inSavepoint(executor, (tx) => boss.send(name, {}, { db: fromDrizzle(tx, sql) }));
      } catch (error) {
        // The queue only says "now". Money must not wait because it cannot.
        log.error({ err: error, job: name }, "a job could not be asked for; it runs within a minute anyway");
      }
    },
    triggerSoon(name) {
      void triggerSoon(name);
    },
    async prepare() {
      await boss.start();
      for (const name of NAMES) {
        await boss.createQueue(name, { policy: "short", retryLimit: 0 });
        // The first entry of a queue looks the queue up; inside a transaction that would need a second connection.
        await boss.send(name, {});
      }
    },
    async start() {
      for (const name of NAMES) {
        await boss.work(name, { pollingIntervalSeconds: pollSeconds }, () => triggerSoon(name));
        await boss.schedule(name, EVERY_MINUTE);
      }
    },
    async stop() {
      stopping = true;
      for (const retry of retries.values()) clearTimeout(retry);
      await Promise.allSettled(underWay.values());
      await boss.stop({ graceful: true, timeout: 5000 });
    },
  };
}

/** The queue reports copies of errors, in which only the code still tells what they were. */
function rethrowForQueue(error: unknown): never {
  if (error instanceof Error && isDatabaseUnavailable(error) && !causedByCanceledStatement(error))
    throw new DatabaseUnavailableError(error.message, { cause: error });
  throw error;
}

/** @param reported an error, or a plain object with its fields */
function restoreError(reported: { message: string; code?: unknown }): Error {
  if (reported instanceof Error) return reported;
  return Object.assign(new Error(reported.message), { code: reported.code });
}
