import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { JobName } from "#core/jobs.ts";
import { openDatabase } from "#db/database.ts";
import { freshDatabase } from "../tools/testing/database.ts";
import { createJobRunner } from "./jobs.ts";

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

test("work asked for in a transaction stays when it commits and goes when it does not", async () => {
  await db.execute(sql`delete from pgboss.job`);
  await db
    .transaction(async (tx) => {
      await jobs.enqueue(tx, "send-mail");
      throw new Error("rolled back");
    })
    .catch(() => undefined);
  expect(await waiting("send-mail")).toBe(0);
  await db.transaction((tx) => jobs.enqueue(tx, "send-mail"));
  expect(await waiting("send-mail")).toBe(1);
});

test("what asks for work commits even when the queue is gone", async () => {
  await db.execute(sql`create table kept (n int)`);
  const lost = createJobRunner({ pool, log: silent, run: async () => undefined });
  await db.transaction(async (tx) => {
    await tx.execute(sql`insert into kept values (1)`);
    // Its tables were never made as far as this runner knows.
    await lost.enqueue(tx, "send-mail");
    await tx.execute(sql`insert into kept values (2)`);
  });
  expect((await db.execute(sql`select n from kept order by n`)).rows).toEqual([{ n: 1 }, { n: 2 }]);
});

test("a job never runs twice at once; asked for while it runs, it runs once more", async () => {
  let finish: () => void = () => undefined;
  work = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  runs.length = 0;
  for (let i = 0; i < 5; i++) jobs.triggerSoon("end-holds");
  await vi.waitUntil(() => runs.length === 1);
  finish();
  await vi.waitUntil(() => runs.length === 2);
  work = () => Promise.resolve();
  finish();
  jobs.triggerSoon("reconcile-orders");
  await vi.waitUntil(() => runs.includes("reconcile-orders"));
  expect(runs).toEqual(["end-holds", "end-holds", "reconcile-orders"]);
});

test("a job that fails is said and does not stop the next", async () => {
  const log = vi.spyOn(silent, "error");
  work = () => Promise.reject(new Error("broken"));
  jobs.triggerSoon("carry-out-refunds");
  await vi.waitUntil(() => log.mock.calls.length === 1);
  work = () => Promise.resolve();
  runs.length = 0;
  jobs.triggerSoon("carry-out-refunds");
  await vi.waitUntil(() => runs.length === 1);
});

test("once started, every job is looked for each minute", async () => {
  await jobs.start();
  const { rows } = await db.execute(sql`select name, cron from pgboss.schedule order by name`);
  expect(rows).toEqual(
    [
      "carry-out-refunds",
      "end-holds",
      "handle-gateway-events",
      "purge-expired",
      "reconcile-orders",
      "send-mail",
      "watch-money",
    ].map((name) => ({ name, cron: "* * * * *" })),
  );
});

test("while the database is unavailable, everything that the queue reports says so", async () => {
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
  database.poolSwitch.interrupt();
  await vi.waitUntil(() => reported.length > 3, { timeout: 10_000 });
  expect(reported.filter((error) => !isDatabaseUnavailable(error))).toEqual([]);
  database.poolSwitch.resume();
  await queue.stop();
  await database.close();
});
