import { connect, createServer, type Server, type Socket } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LiveEvent } from "#core/live/topics.ts";
import { TOPICS } from "#core/live/topics.ts";
import { openDatabase } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { startDemotablePostgres } from "#tests/database/demotable-postgres.ts";
import { createPostgresLive } from "./postgres-live.ts";

const SOON = { timeout: 15_000, interval: 10 };

/** A log that keeps the messages of its warnings. */
function openLog() {
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, message: string) => void warnings.push(message),
    error() {},
  };
  return { log, warnings };
}

/** As one process of the shop: a pool that announces, and live updates that are heard. */
async function openProcess(url: string, listenAt = url) {
  const { log, warnings } = openLog();
  const live = createPostgresLive({ url: listenAt, log });
  const opened = openDatabase(url, { onChanged: live.announce, onBrokenConnection: () => undefined });
  const events: LiveEvent[] = [];
  live.subscribe((event) => events.push(event));
  onTestFinished(async () => {
    await live.stop();
    await opened.close();
  });
  const heard = (topic: string) =>
    events.filter((event) => event.kind === "changed" && event.topic === topic).length;
  const change = async (key: string) => {
    await opened.db.insert(settings).values({ key, value: key });
    changed(opened.db, settings);
  };
  return { live, events, warnings, heard, change, ...opened };
}

async function openAdmin() {
  const own = await freshDatabase();
  const admin = new pg.Client({ connectionString: own.url });
  await admin.connect();
  onTestFinished(async () => {
    await admin.end();
    await own.drop();
  });
  const endListeners = () =>
    admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'daypass live' and datname = current_database()",
    );
  return { url: own.url, admin, endListeners };
}

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

const listening = (...processes: Awaited<ReturnType<typeof openProcess>>[]) =>
  vi.waitFor(() => expect(processes.every(({ live }) => live.isListening())).toBe(true), SOON);

test("each process hears the changes of both, as topics with growing versions and nothing else", async () => {
  const { url } = await openAdmin();
  const one = await openProcess(url);
  const two = await openProcess(url);
  for (const { live } of [one, two]) live.start();
  await listening(one, two);
  await one.change("secret value");
  await vi.waitFor(() => expect([one.heard("settings"), two.heard("settings")]).toEqual([1, 1]), SOON);
  await two.change("other");
  await vi.waitFor(() => expect([one.heard("settings"), two.heard("settings")]).toEqual([2, 2]), SOON);
  expect(one.events).toEqual(two.events);
  const changes = one.events.filter((event) => event.kind === "changed");
  expect(changes.map((event) => Object.keys(event).sort())).toEqual([
    ["kind", "topic", "version"],
    ["kind", "topic", "version"],
  ]);
  const [first, second] = changes.map(({ version }) => BigInt(version));
  expect((second ?? 0n) > (first ?? 0n)).toBe(true);
});

test("a hundred changes are announced as a few, and the last of them can be read when it is announced", async () => {
  const { url, admin } = await openAdmin();
  const process = await openProcess(url);
  process.live.start();
  await listening(process);
  const read: Promise<number>[] = [];
  process.live.subscribe(({ kind }) => {
    if (kind === "changed")
      read.push(admin.query("select count(*)::int as n from settings").then(({ rows }) => rows[0].n));
  });
  for (let n = 0; n < 100; n++) await process.change(`key-${n}`);
  await vi.waitFor(async () => expect(await read.at(-1)).toBe(100), SOON);
  expect(read.length).toBeLessThan(50);
});

test("a change that is rolled back is announced to nobody", async () => {
  const { url } = await openAdmin();
  const process = await openProcess(url);
  process.live.start();
  await listening(process);
  const failed = inTransaction(process.db, async (tx) => {
    await tx.insert(settings).values({ key: "a", value: 1 });
    changed(tx, settings);
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  changed(process.db, tools);
  await vi.waitFor(() => expect(process.heard("tools")).toBe(1), SOON);
  expect(process.heard("settings")).toBe(0);
});

test("a listener whose connection the server ends says so, listens again, and announces what was missed", async () => {
  const { url, endListeners } = await openAdmin();
  const one = await openProcess(url);
  const two = await openProcess(url);
  for (const { live } of [one, two]) live.start();
  await listening(one, two);
  one.live.subscribe(({ kind }) => {
    // While nobody listens.
    if (kind === "paused") one.live.announce(["users"]);
  });
  await endListeners();
  await vi.waitFor(() => expect(one.events.map(({ kind }) => kind)).toContain("paused"), SOON);
  await listening(one, two);
  expect(one.events.map(({ kind }) => kind).slice(0, 3)).toEqual(["resumed", "paused", "resumed"]);
  await vi.waitFor(() => expect(one.heard("users")).toBe(1), SOON);
  await two.change("after");
  await vi.waitFor(() => expect([one.heard("settings"), two.heard("settings")]).toEqual([1, 1]), SOON);
  expect(one.warnings).toEqual(["live updates are interrupted: their database connection failed"]);
});

test("the shop's statements work and a stop is quick although nothing can be heard", async () => {
  const { url } = await openAdmin();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  const port = await listenOn(silent);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const process = await openProcess(url, `postgres://u:p@127.0.0.1:${port}/none`);
  process.live.start();
  await vi.waitFor(() => expect(sockets).toHaveLength(1), SOON);
  await process.change("a");
  expect(process.live.isListening()).toBe(false);
  await process.live.stop();
  expect(process.events).toEqual([]);
});

test("a listening connection that gives no answer any more is replaced", async () => {
  const { url } = await openAdmin();
  const real = new URL(url);
  const pairs: [Socket, Socket][] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(real.port), real.hostname);
    pairs.push([client, server]);
    for (const socket of [client, server]) socket.on("error", () => undefined);
    client.pipe(server).pipe(client);
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${await listenOn(proxy)}`;
  const { log } = openLog();
  const live = createPostgresLive({ url: through.href, log, probeEveryMs: 50, probeWithinMs: 500 });
  const kinds: string[] = [];
  live.subscribe(({ kind }) => kinds.push(kind));
  live.start();
  onTestFinished(async () => {
    await live.stop();
    for (const socket of pairs.flat()) socket.destroy();
    proxy.close();
  });
  await vi.waitFor(() => expect(kinds).toEqual(["resumed"]), SOON);
  for (const [client, server] of pairs) server.unpipe(client);
  await vi.waitFor(() => expect(kinds).toEqual(["resumed", "paused", "resumed"]), SOON);
});

test("live updates pause while their address leads to a standby, and resume at the primary with what was announced", async () => {
  const server = await startDemotablePostgres();
  onTestFinished(server.stop);
  const { live, events, heard } = await openProcess(server.url);
  live.start();
  await vi.waitFor(() => expect(live.isListening()).toBe(true), SOON);
  await server.demote();
  await vi.waitFor(() => expect(events.map(({ kind }) => kind)).toEqual(["resumed", "paused"]), SOON);
  live.announce(["users"]);
  expect(live.isListening()).toBe(false);
  await server.promote();
  await vi.waitFor(() => expect(heard("users")).toBe(1), SOON);
  expect(events.map(({ kind }) => kind)).toEqual(["resumed", "paused", "resumed", "changed"]);
});

test("every topic may have changed until changes are heard for a minute, then those of the last minute count", async () => {
  const { url } = await openAdmin();
  const process = await openProcess(url);
  const recentTopics = () => Object.keys(process.live.recentChanges());
  expect(recentTopics()).toEqual(TOPICS);
  process.live.start();
  await listening(process);
  expect(recentTopics()).toEqual(TOPICS);
  const started = performance.now();
  const now = vi.spyOn(performance, "now");
  now.mockReturnValue(started + 90_000);
  expect(process.live.recentChanges()).toEqual({});
  await process.change("a");
  await vi.waitFor(() => expect(process.heard("settings")).toBe(1), SOON);
  now.mockReturnValue(started + 110_000);
  expect(process.live.recentChanges()).toEqual({ settings: 20_000 });
  now.mockReturnValue(started + 160_000);
  expect(process.live.recentChanges()).toEqual({});
});

test("an announcement that waits at the stop still reaches the other processes", async () => {
  const { url } = await openAdmin();
  const one = await openProcess(url);
  const two = await openProcess(url);
  for (const { live } of [one, two]) live.start();
  await listening(one, two);
  one.live.announce(["users"]);
  one.live.announce(["users"]);
  await one.live.stop();
  await vi.waitFor(() => expect(two.heard("users")).toBe(2), SOON);
  expect(one.events.map(({ kind }) => kind)).not.toContain("paused");
});
