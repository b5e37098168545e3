import { sql } from "drizzle-orm";
import { PgBoss } from "pg-boss";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { JobName } from "#core/jobs.ts";
import { openDatabase } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { JOBS } from "./job-registry.ts";
import { createJobRunner } from "./job-runner.ts";

const own = await freshDatabase();
const { db, pool, close } = openDatabase(own.url, { onBrokenConnection: () => undefined });
const runs: JobName[] = [];
let work: () => Promise<void> = () => Promise.resolve();
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const jobs = createJobRunner({
  pool,
  log: silent,
  run: async (name) => {
    runs.push(name);
    await work();
  },
});
await jobs.prepare();
afterAll(async () => {
  await jobs.stop();
  await close();
  await own.drop();
});

const waiting = async (name: JobName) => {
  const { rows } = await db.execute(
    sql`select count(*)::int as n from pgboss.job where name = ${name} and state = 'created'`,
  );
  return rows[0]?.n;
};

test("a job enqueued in a transaction is in the queue only when the transaction commits", async () => {
  await db.execute(sql`delete from pgboss.job`);
  const rolledBack = inTransaction(db, async (tx) => {
    await jobs.enqueue(tx, "send-mail");
    throw new Error("rolled back");
  });
  await expect(rolledBack).rejects.toThrow("rolled back");
  expect(await waiting("send-mail")).toBe(0);
  await inTransaction(db, (tx) => jobs.enqueue(tx, "send-mail"));
  expect(await waiting("send-mail")).toBe(1);
});

test("a transaction commits even when its job cannot be enqueued", async () => {
  await db.execute(sql`create table kept (n int)`);
  const lost = createJobRunner({ pool, log: silent, run: async () => undefined });
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`insert into kept values (1)`);
    // This runner was never prepared, so it does not know the queue.
    await lost.enqueue(tx, "send-mail");
    await tx.execute(sql`insert into kept values (2)`);
  });
  expect((await db.execute(sql`select n from kept order by n`)).rows).toEqual([{ n: 1 }, { n: 2 }]);
});

test("a job never runs twice at once, and triggers during a run become one more run", async () => {
  let finish: () => void = () => undefined;
  work = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  runs.length = 0;
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
  const log = vi.spyOn(silent, "error");
  work = () => Promise.reject(new Error("broken"));
  jobs.triggerSoon("process-refunds");
  await vi.waitUntil(() => log.mock.calls.length === 1);
  work = () => Promise.resolve();
  runs.length = 0;
  jobs.triggerSoon("process-refunds");
  await vi.waitUntil(() => runs.length === 1);
});

test("a started runner has the schedule of every job of the registry", async () => {
  await jobs.start();
  const { rows } = await db.execute(sql`select name, cron from pgboss.schedule order by name`);
  expect(rows).toEqual(
    Object.entries(JOBS)
      .map(([name, { schedule }]) => ({ name, cron: schedule }))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
  );
});

test("a queue of a job that no longer exists is removed with its schedule and entries, and the others work", async () => {
  const old = await freshDatabase();
  const database = openDatabase(old.url, { onBrokenConnection: () => undefined });
  onTestFinished(async () => {
    await database.close();
    await old.drop();
  });
  const earlier = new PgBoss({ db: { executeSql: (text, values) => database.pool.query(text, values) } });
  await earlier.start();
  await earlier.createQueue("end-holds", { policy: "short" });
  await earlier.schedule("end-holds", "* * * * *");
  await earlier.send("end-holds", {});
  await earlier.stop();

  const ran: JobName[] = [];
  const runner = createJobRunner({
    pool: database.pool,
    log: silent,
    run: async (name) => void ran.push(name),
    pollSeconds: 0.5,
  });
  await runner.prepare();
  await runner.start();
  for (const table of ["queue", "schedule", "job"]) {
    const { rows } = await database.pool.query(`select name from pgboss.${table} where name = 'end-holds'`);
    expect(rows).toEqual([]);
  }
  await vi.waitUntil(() => ran.includes("expire-holds"), { timeout: 20_000 });
  await runner.stop();
});

test("every error that the queue reports while the database is unavailable says that it is unavailable", async () => {
  const database = openDatabase(own.url, { onBrokenConnection: () => undefined });
  const reported: unknown[] = [];
  const queue = createJobRunner({
    pool: database.pool,
    log: { ...silent, warn: (facts) => reported.push("err" in facts ? facts.err : facts) },
    run: async () => undefined,
    pollSeconds: 0.5,
  });
  await queue.prepare();
  await queue.start();
  database.poolInterrupter.interrupt();
  await vi.waitUntil(() => reported.length > 3, { timeout: 10_000 });
  expect(reported.filter((error) => !isDatabaseUnavailable(error))).toEqual([]);
  database.poolInterrupter.resume();
  await queue.stop();
  await database.close();
});
