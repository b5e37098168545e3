import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Pool } from "pg";
import { fromDrizzle, PgBoss } from "pg-boss";
import type { Log } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { JobName, Jobs } from "#core/jobs.ts";
import { causedByCanceledStatement, DatabaseUnavailableError } from "#db/database-unavailable.ts";
import { inSavepoint } from "#db/transaction.ts";
import { isJobName, JOB_NAMES, JOBS } from "./job-registry.ts";

const POLL_SECONDS = 15;
const SLOW_MS = 5 * 60_000;
/** A database that was lost usually answers again after this time. */
const RETRY_MS = 5_000;
/** The names of pg-boss's own queues start with this. */
const PG_BOSS_PREFIX = "__pgboss__";

export interface JobRunner extends Jobs {
  /** Makes the queue of every job, so that runs can be enqueued, and removes queues of jobs that no longer exist. */
  prepare(): Promise<void>;
  /** Starts to run the jobs: on their schedule and when they are triggered. */
  start(): Promise<void>;
  /** Starts no more runs and waits for the runs in progress. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs of the registry. The queue's tables may be lost: each job scans our own rows, so a lost queue entry
 * delays a job by a minute at most.
 *
 * @param options.run runs a job; called for several jobs at once, but never twice at once for the same job
 */
export function createJobRunner(options: {
  pool: Pool;
  run: (name: JobName) => Promise<void>;
  log: Log;
  /** How often the queue is polled, in seconds. */
  pollSeconds?: number;
}): JobRunner {
  const { log, pollSeconds = POLL_SECONDS } = options;
  // Uses the shop's own pool, which survives the loss of a connection at any moment.
  const boss = new PgBoss({
    db: { executeSql: (text, values) => options.pool.query(text, values).catch(rethrowForQueue) },
  });
  boss.on("error", (error) => log.warn({ err: restoreError(error) }, "the job queue reported an error"));
  const inProgress = new Map<JobName, Promise<void>>();
  const triggeredAgain = new Set<JobName>();
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
    const { delayMs = 0 } = JOBS[name];
    do {
      if (delayMs > 0) await delay(delayMs);
      triggeredAgain.delete(name);
      await runOnce(name);
    } while (triggeredAgain.has(name) && !stopping);
    inProgress.delete(name);
  };
  const triggerSoon = (name: JobName): Promise<void> => {
    if (stopping) return Promise.resolve();
    const running = inProgress.get(name);
    if (running) {
      triggeredAgain.add(name);
      return running;
    }
    const started = runUntilDone(name);
    inProgress.set(name, started);
    return started;
  };

  return {
    async enqueue(executor, name) {
      try {
        await inSavepoint(executor, (tx) => boss.send(name, {}, { db: fromDrizzle(tx, sql) }));
      } catch (error) {
        // A failure of the queue must not abort the transaction: the schedule runs the job anyway.
        log.error({ err: error, job: name }, "a job could not be enqueued; its schedule runs it anyway");
      }
    },
    triggerSoon(name) {
      void triggerSoon(name);
    },
    async prepare() {
      await boss.start();
      await removeUnknownQueues(boss);
      for (const name of JOB_NAMES) {
        await boss.createQueue(name, { policy: "short", retryLimit: 0 });
        // pg-boss reads a queue's settings at its first entry; inside a transaction that would need a second
        // connection.
        await boss.send(name, {});
      }
    },
    async start() {
      for (const name of JOB_NAMES) {
        await boss.work(name, { pollingIntervalSeconds: pollSeconds }, () => triggerSoon(name));
        await boss.schedule(name, JOBS[name].schedule);
      }
    },
    async stop() {
      stopping = true;
      for (const retry of retries.values()) clearTimeout(retry);
      await Promise.allSettled(inProgress.values());
      await boss.stop({ graceful: true, timeout: 5000 });
    },
  };
}

/** Removes the queues of jobs that were renamed or removed, with their entries and schedules. */
async function removeUnknownQueues(boss: PgBoss): Promise<void> {
  for (const { name } of await boss.getQueues())
    if (!isJobName(name) && !name.startsWith(PG_BOSS_PREFIX)) await boss.deleteQueue(name);
}

/** pg-boss reports copies of errors that keep only the code, so the error gets the code of an unavailable database. */
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
