import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Log } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { JobName } from "#core/ports.ts";
import { openDatabase } from "#db/database.ts";
import { jobRuns } from "#db/tables/operations.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { claimDueJobs, createJobRunner, JOB_NAMES, type JobRunner } from "./jobs.ts";

const own = await freshDatabase();
const { db, close } = openDatabase(own.url, { max: 20, onBrokenConnection: () => undefined });
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const runs: JobName[] = [];
let work: () => Promise<void> = () => Promise.resolve();
let jobs: JobRunner;
const startRunner = (onDatabase = db, log: Log = silent) =>
  createJobRunner({
    db: onDatabase,
    log,
    tickMs: 20,
    run: async (name) => {
      runs.push(name);
      await work();
    },
  });
beforeEach(async () => {
  runs.length = 0;
  work = () => Promise.resolve();
  await db.delete(jobRuns);
  jobs = startRunner();
});
afterEach(() => jobs.stop());
afterAll(async () => {
  await close();
  await own.drop();
});

/** Starts the runner when no job is due, so that it runs only what is triggered. */
const startIdle = async () => {
  await claimDueJobs(db);
  jobs.start();
};
const inOrder = (names: readonly JobName[]) => names.toSorted((one, other) => one.localeCompare(other));
/** As after a time in which every job has become due. */
const makeAllDue = () => db.update(jobRuns).set({ nextRunAt: sql`now()` });

test("twenty processes that claim jobs at once get each job once a minute", async () => {
  const claimAtOnce = async () =>
    inOrder((await Promise.all(Array.from({ length: 20 }, () => claimDueJobs(db)))).flat());
  expect(await claimAtOnce()).toEqual(inOrder(JOB_NAMES));
  expect(await claimAtOnce()).toEqual([]);
  // A process that was killed during its runs has left only this behind.
  await makeAllDue();
  expect(await claimAtOnce()).toEqual(inOrder(JOB_NAMES));
});

test("a started runner runs every job at once, and again when it is due", async () => {
  jobs.start();
  await vi.waitUntil(() => runs.length === JOB_NAMES.length);
  expect(inOrder(runs)).toEqual(inOrder(JOB_NAMES));
  await makeAllDue();
  await vi.waitUntil(() => runs.length === 2 * JOB_NAMES.length);
  expect(new Set(runs.slice(JOB_NAMES.length))).toEqual(new Set(JOB_NAMES));
});

test("every job is due again after a minute", async () => {
  await claimDueJobs(db);
  const dueWithin = (seconds: number) =>
    db.$count(jobRuns, sql`${jobRuns.nextRunAt} <= now() + make_interval(secs => ${seconds})`);
  expect(await dueWithin(50)).toBe(0);
  expect(await dueWithin(60)).toBe(JOB_NAMES.length);
});

test("a runner that was not started ignores triggers", async () => {
  jobs.triggerSoon("expire-holds");
  await jobs.stop();
  expect(runs).toEqual([]);
});

test("a job never runs twice at once, and triggers during a run become one more run", async () => {
  await startIdle();
  let finish: () => void = () => undefined;
  work = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  for (let i = 0; i < 5; i++) jobs.triggerSoon("expire-holds");
  await vi.waitUntil(() => runs.length === 1);
  finish();
  await vi.waitUntil(() => runs.length === 2);
  work = () => Promise.resolve();
  finish();
  jobs.triggerSoon("reconcile-orders");
  await vi.waitUntil(() => runs.includes("reconcile-orders"));
  expect(runs).toEqual(["expire-holds", "expire-holds", "reconcile-orders"]);
});

test("a job that fails is logged and runs again when it is triggered", async () => {
  await startIdle();
  const log = vi.spyOn(silent, "error");
  work = () => Promise.reject(new Error("broken"));
  jobs.triggerSoon("process-refunds");
  await vi.waitUntil(() => log.mock.calls.length === 1);
  work = () => Promise.resolve();
  runs.length = 0;
  jobs.triggerSoon("process-refunds");
  await vi.waitUntil(() => runs.length === 1);
});

test("a stop waits for the run in progress and starts no other", async () => {
  await startIdle();
  let finish: () => void = () => undefined;
  work = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  jobs.triggerSoon("expire-holds");
  await vi.waitUntil(() => runs.length === 1);
  jobs.triggerSoon("expire-holds");
  const stopped = jobs.stop();
  jobs.triggerSoon("send-mail");
  finish();
  await stopped;
  expect(runs).toEqual(["expire-holds"]);
});

test("an outage of the database is reported as one, and the jobs run when it has ended", async () => {
  const database = openDatabase(own.url, { onBrokenConnection: () => undefined });
  const reported: unknown[] = [];
  const runner = startRunner(database.db, {
    ...silent,
    warn: (facts) => void reported.push("err" in facts ? facts.err : facts),
  });
  onTestFinished(async () => {
    await runner.stop();
    await database.close();
  });
  database.poolInterrupter.interrupt();
  runner.start();
  await vi.waitUntil(() => reported.length > 3, { timeout: 10_000 });
  expect(reported.filter((error) => !isDatabaseUnavailable(error))).toEqual([]);
  expect(runs).toEqual([]);
  database.poolInterrupter.resume();
  await vi.waitUntil(() => runs.length === JOB_NAMES.length, { timeout: 10_000 });
});
