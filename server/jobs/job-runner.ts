import { setTimeout as delay } from "node:timers/promises";
import { lte, sql } from "drizzle-orm";
import type { Log } from "#core/context.ts";
import type { JobName, Jobs } from "#core/jobs.ts";
import { SECOND } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { jobRuns } from "#db/tables/operations.ts";
import { isJobName, JOB_NAMES, JOBS } from "./job-registry.ts";

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
 * killed leaves nothing behind, and another one gets the job in the next minute.
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
