import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  clusterOf,
  killNow,
  lockHolders,
  newDataDir,
  query,
  refusal,
  slow,
  start,
  startHolder,
  superuserUrl,
} from "./data-dir-fixtures.ts";
import { findPostmaster } from "./postmaster.ts";
import { databaseProcessesIn, isRunning } from "./processes.ts";
import { HeldError, StartupError } from "./startup-error.ts";

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
