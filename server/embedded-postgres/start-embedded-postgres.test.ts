import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { findPostmaster } from "./postmaster.ts";
import { databaseProcessesIn, isRunning } from "./processes.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start-embedded-postgres.ts";
import { HeldError, StartupError } from "./startup-error.ts";

const asRoot = process.getuid?.() === 0;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test("makes a database, keeps its rows over a restart and leaves no process", async () => {
  const dataDir = newDataDir();
  const first = await start(dataDir);
  await query(first.url, "create table kept (id int); insert into kept values (1), (2)");
  const { port } = findPostmaster(clusterOf(dataDir)) ?? {};
  await first.stop();
  expect(databaseProcessesIn(clusterOf(dataDir))).toEqual([]);

  const second = await start(dataDir);
  expect(await query(second.url, "select id from kept order by id")).toEqual([{ id: 1 }, { id: 2 }]);
  expect(second.url).toBe(first.url);
  expect(findPostmaster(clusterOf(dataDir))?.port).toBe(port);
});

test("the shop's role owns its database, may add what it needs and is no superuser", async () => {
  const { url } = await start(newDataDir());
  await query(
    url,
    "create extension btree_gist; create extension citext; create extension pg_trgm; create extension pgcrypto",
  );
  expect(
    await query(url, "select current_user as name, rolsuper from pg_roles where rolname = current_user"),
  ).toEqual([{ name: "daypass", rolsuper: false }]);
  expect(
    await query(url, "select datlocprovider, datlocale from pg_database where datname = 'daypass'"),
  ).toEqual([{ datlocprovider: "b", datlocale: "C.UTF-8" }]);
  expect(
    await query(url, "select setting from pg_settings where name in ('fsync', 'full_page_writes')"),
  ).toEqual([{ setting: "on" }, { setting: "on" }]);
  await expect(query(url.replace(/:[0-9a-f]{48}@/, ":wrong@"), "select 1")).rejects.toThrow(/password/);
});

test("the passwords and the cluster are for nobody else's eyes, and no password is logged", async () => {
  const dataDir = newDataDir();
  const { url } = await start(dataDir);
  const password = new URL(url).password;
  expect(statSync(join(clusterOf(dataDir), "daypass.json")).mode & 0o777).toBe(0o600);
  expect(statSync(clusterOf(dataDir)).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(dataDir, "pg", "postgres.log"), "utf8")).not.toContain(password);
});

test("recovers after a kill -9 of the shop: stops the orphan, keeps every committed row", async () => {
  const dataDir = newDataDir();
  const holder = await startHolder(dataDir);
  await query(holder.url, "create table kept (id int); insert into kept values (1)");
  const orphan = findPostmaster(clusterOf(dataDir))?.pid ?? 0;
  await killNow(holder.child);
  expect(isRunning(orphan)).toBe(true);

  const { url } = await start(dataDir);
  expect(isRunning(orphan)).toBe(false);
  expect(await query(url, "select id from kept")).toEqual([{ id: 1 }]);
});

test("recovers after a kill -9 of shop and database", async () => {
  const dataDir = newDataDir();
  const holder = await startHolder(dataDir);
  await query(holder.url, "create table kept (id int); insert into kept values (1)");
  process.kill(findPostmaster(clusterOf(dataDir))?.pid ?? 0, "SIGKILL");
  await killNow(holder.child);

  const { url } = await start(dataDir);
  expect(await query(url, "select id from kept")).toEqual([{ id: 1 }]);
});

test("a pid file whose number now belongs to a stranger does not stop the start", async () => {
  const dataDir = newDataDir();
  await (await start(dataDir)).stop();
  writeFileSync(
    join(clusterOf(dataDir), "postmaster.pid"),
    `${process.ppid}\n${clusterOf(dataDir)}\n1\n1\n\n127.0.0.1\n`,
  );
  const { url } = await start(dataDir);
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("brings the database back by itself, at the same address, when it dies alone", async () => {
  const dataDir = newDataDir();
  const onFatal = vi.fn();
  const running = await start(dataDir, onFatal);
  await query(running.url, "create table kept (id int); insert into kept values (1)");
  const killed = findPostmaster(clusterOf(dataDir))?.pid ?? 0;
  process.kill(killed, "SIGKILL");
  await expect
    .poll(() => query(running.url, "select id from kept").catch(() => "down"), slow)
    .toEqual([{ id: 1 }]);
  await expect.poll(() => lockHolders(dataDir), slow).toBe(1);
  expect(onFatal).not.toHaveBeenCalled();
  await running.stop();
  expect(databaseProcessesIn(clusterOf(dataDir))).toEqual([]);
});

test("takes the lock again when only its connection is lost", async () => {
  const dataDir = newDataDir();
  await start(dataDir);
  const postmaster = findPostmaster(clusterOf(dataDir))?.pid;
  await query(
    superuserUrl(dataDir),
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'",
  );
  await expect.poll(() => lockHolders(dataDir), slow).toBe(1);
  expect(findPostmaster(clusterOf(dataDir))?.pid).toBe(postmaster);
});

test("says so when the database cannot be brought back", async () => {
  const dataDir = newDataDir();
  const onFatal = vi.fn();
  await start(dataDir, onFatal);
  const cluster = clusterOf(dataDir);
  const { pid } = findPostmaster(cluster) ?? { pid: 0 };
  renameSync(join(cluster, "PG_VERSION"), join(cluster, "PG_VERSION.gone"));
  process.kill(pid, "SIGKILL");
  await expect.poll(() => onFatal.mock.calls.length, { timeout: 30_000 }).toBe(1);
  expect(onFatal.mock.calls[0]?.[0]).toBeInstanceOf(StartupError);
}, 40_000);

test("a second start names the holder and leaves it alone", async () => {
  const dataDir = newDataDir();
  const holder = await startHolder(dataDir);
  const postmaster = findPostmaster(clusterOf(dataDir))?.pid;
  const error = await refusal(dataDir);
  expect(error).toBeInstanceOf(HeldError);
  expect(error.message).toMatch(
    new RegExp(`in use by process ${holder.child.pid} since \\d{4}-\\d\\d-\\d\\dT`),
  );
  expect(findPostmaster(clusterOf(dataDir))?.pid).toBe(postmaster);
  expect(await query(holder.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("the lock in the database names the holder too, where its file was lost", async () => {
  const dataDir = newDataDir();
  const holder = await startHolder(dataDir);
  rmSync(join(dataDir, "pg", "holder.1.json"));
  const error = await refusal(dataDir);
  expect(error).toBeInstanceOf(HeldError);
  expect(error.message).toContain(`process ${holder.child.pid} since `);
  expect(await query(holder.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("of two first starts at the same moment one wins and one is refused", async () => {
  const dataDir = newDataDir();
  const outcomes = await Promise.all(
    [0, 1].map(() => startHolder(dataDir).catch((error: Error) => error.message)),
  );
  const refused = outcomes.filter((outcome) => typeof outcome === "string");
  expect(refused).toEqual([expect.stringContaining("is in use by process ")]);
  const winner = outcomes.find((outcome) => typeof outcome !== "string");
  expect(await query(winner?.url ?? "", "select 1 as one")).toEqual([{ one: 1 }]);
});

test("works below a folder that only we may enter", async () => {
  const dataDir = newDataDir(0o700);
  const lines: string[] = [];
  const first = await start(dataDir, undefined, lines);
  await query(first.url, "create table kept (id int); insert into kept values (1)");
  await first.stop();
  const pointer = join(dataDir, "pg", "elsewhere.json");
  // Only root runs the database as another user, who is shut out here.
  expect(existsSync(pointer)).toBe(asRoot);
  if (asRoot) {
    const { home } = JSON.parse(readFileSync(pointer, "utf8"));
    cleanups.push(() => rmSync(home, { recursive: true }));
    expect(lines[0]).toContain(`the database is in ${home}`);
  }
  const second = await start(dataDir);
  expect(await query(second.url, "select id from kept")).toEqual([{ id: 1 }]);
  await second.stop();

  rmSync(dataDir, { recursive: true });
  const fresh = await start(dataDir);
  await expect(query(fresh.url, "select id from kept")).rejects.toThrow(/does not exist/);
});

test.each([
  "renamed folder",
  "changed PG_VERSION",
])("never makes a new database beside one of another major: %s", async (how) => {
  const dataDir = newDataDir();
  await (await start(dataDir)).stop();
  const cluster = clusterOf(dataDir);
  if (how === "renamed folder") renameSync(cluster, join(dataDir, "pg", "17"));
  writeFileSync(join(how === "renamed folder" ? join(dataDir, "pg", "17") : cluster, "PG_VERSION"), "17\n");
  expect((await refusal(dataDir)).message).toMatch(/was made by PostgreSQL 17 and this is PostgreSQL 18/);
  expect(existsSync(cluster)).toBe(how !== "renamed folder");
});

test("a folder that is no database is left as it is", async () => {
  const dataDir = newDataDir();
  mkdirSync(clusterOf(dataDir), { recursive: true, mode: 0o755 });
  for (const folder of [dataDir, join(dataDir, "pg")]) chmodSync(folder, 0o755);
  writeFileSync(join(clusterOf(dataDir), "photo.jpg"), "mine");
  expect((await refusal(dataDir)).message).toMatch(/exists and is not a database/);
  expect(readFileSync(join(clusterOf(dataDir), "photo.jpg"), "utf8")).toBe("mine");
});

test("an unusable DATA_DIR is one sentence", async () => {
  const file = join(newDataDir(), "..", "file");
  writeFileSync(file, "");
  const error = await refusal(join(file, "data"));
  expect(error).toBeInstanceOf(StartupError);
  expect(error.message).toMatch(/^DATA_DIR cannot be used: .*a file, not a folder\.$/);
  expect((await refusal("/proc/nowhere/data")).message).toBe(
    "DATA_DIR cannot be used: /proc/nowhere cannot be made.",
  );
});

const slow = { timeout: 15_000, interval: 50 };

function newDataDir(parentMode = 0o755): string {
  const parent = mkdtempSync(join(tmpdir(), "daypass-"));
  chmodSync(parent, parentMode);
  cleanups.push(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "data");
}

function clusterOf(dataDir: string): string {
  return join(dataDir, "pg", "18");
}

async function start(dataDir: string, onFatal = vi.fn(), lines: string[] = []): Promise<EmbeddedPostgres> {
  const running = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line), onFatal });
  cleanups.push(() => running.stop());
  return running;
}

async function refusal(dataDir: string): Promise<Error> {
  return start(dataDir).then(
    () => Promise.reject(new Error("it started")),
    (error: Error) => error,
  );
}

/** A process of its own that holds DATA_DIR, to be killed. */
async function startHolder(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL("./start-embedded-postgres.ts", import.meta.url))});
    const stop = () => running.stop().then(() => process.exit(0));
    const running = await startEmbeddedPostgres({ dataDir: process.argv[1], log: () => {}, onFatal: console.error })
      .catch((error) => { console.log("refused " + error.message); process.exit(1); });
    process.on("SIGTERM", stop);
    console.log("url " + running.url);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  cleanups.push(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("url ")) return { child, url: line.slice(4) };
    if (line.startsWith("refused ")) throw new Error(line.slice(8));
  }
  throw new Error("the holder ended without a word");
}

async function killNow(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

function superuserUrl(dataDir: string): string {
  const { superuserPassword, port } = JSON.parse(
    readFileSync(join(clusterOf(dataDir), "daypass.json"), "utf8"),
  );
  return `postgres://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`;
}

async function lockHolders(dataDir: string): Promise<number> {
  const rows = await query(
    superuserUrl(dataDir),
    "select 1 from pg_locks where locktype = 'advisory' and granted",
  ).catch(() => []);
  return rows.length;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
