import { connect, createServer, type Socket } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { startDemotablePostgres } from "../tests/database/demotable-postgres.ts";
import { pausePostgres } from "../tests/database/pause-postgres.ts";
import { openDatabase } from "./database.ts";
import { causedByUnavailableDatabase } from "./database-unavailable.ts";
import { watchDatabase } from "./watch-database.ts";

let server: Awaited<ReturnType<typeof startDemotablePostgres>>;
beforeAll(async () => {
  server = await startDemotablePostgres();
});
afterAll(() => server.stop());

/** Opens a pool of three connections and watches its database. */
async function open(url = server.url) {
  const { db, pool, poolInterrupter, close } = openDatabase(url, {
    max: 3,
    onBrokenConnection: () => undefined,
  });
  const reports: string[] = [];
  const watch = watchDatabase({
    url,
    poolInterrupter,
    onDown: (reason) => reports.push(`down: ${reason}`),
    onUp: () => reports.push("up"),
  });
  onTestFinished(async () => {
    watch.stop();
    await close();
  });
  expect(await watch.answers(10_000)).toBe(true);
  return { db, pool, watch, reports };
}

async function pause() {
  const resume = await pausePostgres(server.url);
  onTestFinished(resume);
  return resume;
}

const timed = async (work: Promise<unknown>) => {
  const began = performance.now();
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - began };
};

test("statements and those waiting for a connection fail within seconds when the database hangs, and work again after it", async () => {
  const { db, pool, reports } = await open();
  await db.execute(sql`select 1`);
  const resume = await pause();
  const failed = await Promise.all(Array.from({ length: 8 }, () => timed(db.execute(sql`select 1`))));
  for (const { error, ms } of failed) {
    expect(causedByUnavailableDatabase(error)).toBe(true);
    expect(ms).toBeLessThan(5_000);
  }
  expect(reports).toEqual(["down: silent"]);

  const refused = await timed(db.transaction((tx) => tx.execute(sql`select 1`)));
  expect(causedByUnavailableDatabase(refused.error)).toBe(true);
  expect(refused.ms).toBeLessThan(1_000);

  resume();
  await vi.waitUntil(() => reports.includes("up"), { timeout: 10_000 });
  const clients = await Promise.all(Array.from({ length: 3 }, () => pool.connect()));
  expect(clients).toHaveLength(3);
  for (const client of clients) client.release();
  expect(reports).toEqual(["down: silent", "up"]);
});

test("a probe of a hung database reports no answer within the given time", async () => {
  const { watch } = await open();
  await pause();
  const began = performance.now();
  expect(await watch.answers(1_000)).toBe(false);
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("a statement that waits for a lock is not reported as an outage", async () => {
  const { db, pool, reports } = await open();
  await db.execute(sql`create table counters (n int)`);
  await db.execute(sql`insert into counters values (1)`);
  const holder = await pool.connect();
  await holder.query("begin");
  await holder.query("update counters set n = 2");
  const waiting = db.execute(sql`update counters set n = n + 1`);
  // Longer than the watch waits for an answer.
  await holder.query("select pg_sleep(4)");
  await holder.query("commit");
  holder.release();
  await waiting;
  expect((await db.execute(sql`select n from counters`)).rows).toEqual([{ n: 3 }]);
  expect(reports).toEqual([]);
});

test("a blocked event loop is not reported as an outage of the database", async () => {
  const { db, watch, reports } = await open();
  const answered = watch.answers(10_000);
  // The probe runs when the loop blocks.
  await new Promise(setImmediate);
  const until = performance.now() + 4_000;
  while (performance.now() < until);
  expect(await answered).toBe(true);
  await db.execute(sql`select 1`);
  expect(reports).toEqual([]);
});

test("a database that cannot be reached is reported as an outage", async () => {
  const url = new URL(server.url);
  url.port = "1";
  const { db, poolInterrupter, close } = openDatabase(url.href, { onBrokenConnection: () => undefined });
  const reports: string[] = [];
  const watch = watchDatabase({
    url: url.href,
    poolInterrupter,
    onDown: (reason) => reports.push(reason),
    onUp: () => reports.push("up"),
  });
  onTestFinished(async () => {
    watch.stop();
    await close();
  });
  expect(await watch.answers(5_000)).toBe(false);
  expect(reports).toEqual(["refused"]);
  const { error } = await timed(db.execute(sql`select 1`));
  expect(causedByUnavailableDatabase(error)).toBe(true);
});

test("a watch whose connection is cut repeats its probe over another one", async () => {
  const { db, watch, reports } = await open();
  await db.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'daypass watch'`,
  );
  expect(await watch.answers(5_000)).toBe(true);
  expect(reports).toEqual([]);
});

/** A proxy of the database that can hang: it cuts a connection at its next query and does not answer new ones. */
async function startProxy() {
  const { hostname, port } = new URL(server.url);
  const sockets = new Set<Socket>();
  let ticks = 0;
  let timer: NodeJS.Timeout | undefined;
  let hangs = false;
  const proxy = createServer((incoming) => {
    sockets.add(incoming.on("error", () => undefined));
    if (hangs) return;
    const outgoing = connect(Number(port), hostname).on("error", () => undefined);
    sockets.add(outgoing);
    outgoing.pipe(incoming);
    incoming.on("data", (data) => {
      if (!hangs) {
        outgoing.write(data);
        return;
      }
      timer ??= setInterval(() => ticks++, 100);
      incoming.destroy();
    });
    incoming.on("close", () => outgoing.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  const url = new URL(server.url);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    hang: () => {
      hangs = true;
    },
    /** Tenths of a second since the first cut, counted in ticks as the watch does. */
    ticksSinceCut: () => ticks,
  };
}

test("an outage is noticed 4 seconds after a probe whose connection was cut and whose next connection hangs", async () => {
  const proxy = await startProxy();
  const { reports } = await open(proxy.url);
  proxy.hang();
  await vi.waitUntil(() => reports.length > 0, { timeout: 10_000 });
  expect(reports).toEqual(["down: silent"]);
  expect(proxy.ticksSinceCut()).toBeGreaterThan(0);
  expect(proxy.ticksSinceCut()).toBeLessThan(45);
});

test("an address that leads to a standby is an outage, for the watch and for a statement, until it leads to the primary", async () => {
  const { db, watch, reports } = await open();
  await db.execute(sql`create table notes (n int)`);
  const unwatched = openDatabase(server.url, { onBrokenConnection: () => undefined });
  onTestFinished(unwatched.close);
  const write = () => unwatched.db.execute(sql`insert into notes values (1)`);
  await server.demote();
  onTestFinished(server.promote);
  // The first statement may find its connection cut.
  await vi.waitFor(() => unwatched.db.execute(sql`select 1`));
  const { error } = await timed(write());
  expect(error).toMatchObject({ cause: { code: "25006" } });
  expect(causedByUnavailableDatabase(error)).toBe(true);
  expect(await watch.answers(10_000)).toBe(false);
  const { error: refusal } = await timed(db.execute(sql`select 1`));
  expect(causedByUnavailableDatabase(refusal)).toBe(true);

  const found: string[] = [];
  const { poolInterrupter } = unwatched;
  const later = watchDatabase({
    url: server.url,
    poolInterrupter,
    onDown: (reason) => found.push(reason),
    onUp: () => found.push("up"),
  });
  onTestFinished(later.stop);
  await vi.waitUntil(() => found.length > 0, { timeout: 10_000 });
  expect(found).toEqual(["standby"]);

  await server.promote();
  await vi.waitUntil(() => reports.at(-1) === "up" && found.at(-1) === "up", { timeout: 10_000 });
  await write();
  expect((await db.execute(sql`select n from notes`)).rows).toEqual([{ n: 1 }]);
});
