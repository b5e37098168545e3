import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { pausePostgres } from "#tests/database/pause-postgres.ts";
import {
  clusterOf,
  countLockHolders,
  killAndWait,
  newDataDir,
  patience,
  query,
  start,
  startFailure,
  startHolderProcess,
  superuserUrl,
} from "./data-dir-fixtures.ts";
import { findPostmaster } from "./postmaster.ts";
import { databaseProcessesIn, isRunning } from "./processes.ts";
import { DataDirInUseError, StartupError } from "./startup-error.ts";

test("a start after a kill -9 of the shop stops the orphaned server and keeps every committed row", async () => {
  const dataDir = newDataDir();
  const holder = await startHolderProcess(dataDir);
  await query(holder.url, "create table kept (id int); insert into kept values (1)");
  const orphan = findPostmaster(clusterOf(dataDir))?.pid ?? 0;
  await killAndWait(holder.child);
  expect(isRunning(orphan)).toBe(true);

  const { url } = await start(dataDir);
  expect(isRunning(orphan)).toBe(false);
  expect(await query(url, "select id from kept")).toEqual([{ id: 1 }]);
});

test("a start after a kill -9 of shop and database keeps every committed row", async () => {
  const dataDir = newDataDir();
  const holder = await startHolderProcess(dataDir);
  await query(holder.url, "create table kept (id int); insert into kept values (1)");
  process.kill(findPostmaster(clusterOf(dataDir))?.pid ?? 0, "SIGKILL");
  await killAndWait(holder.child);

  const { url } = await start(dataDir);
  expect(await query(url, "select id from kept")).toEqual([{ id: 1 }]);
});

test("a pid file whose process id now belongs to another program does not prevent the start", async () => {
  const dataDir = newDataDir();
  await (await start(dataDir)).stop();
  writeFileSync(
    join(clusterOf(dataDir), "postmaster.pid"),
    `${process.ppid}\n${clusterOf(dataDir)}\n1\n1\n\n127.0.0.1\n`,
  );
  const { url } = await start(dataDir);
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a database that ends alone is restarted at the same address", async () => {
  const dataDir = newDataDir();
  const onFatal = vi.fn();
  const running = await start(dataDir, onFatal);
  await query(running.url, "create table kept (id int); insert into kept values (1)");
  const killed = findPostmaster(clusterOf(dataDir))?.pid ?? 0;
  process.kill(killed, "SIGKILL");
  await expect
    .poll(() => query(running.url, "select id from kept").catch(() => "down"), patience)
    .toEqual([{ id: 1 }]);
  await expect.poll(() => countLockHolders(dataDir), patience).toBe(1);
  expect(onFatal).not.toHaveBeenCalled();
  await running.stop();
  expect(databaseProcessesIn(clusterOf(dataDir))).toEqual([]);
});

test("the stop of a paused database leaves no process", async () => {
  const dataDir = newDataDir();
  const running = await start(dataDir);
  onTestFinished(await pausePostgres(superuserUrl(dataDir)));
  const processes = databaseProcessesIn(clusterOf(dataDir));
  expect(processes?.length).toBeGreaterThan(1);

  await running.stop();
  expect(processes?.filter(isRunning)).toEqual([]);
});

test("the session lock is acquired again when only its connection is lost", async () => {
  const dataDir = newDataDir();
  await start(dataDir);
  const postmaster = findPostmaster(clusterOf(dataDir))?.pid;
  await query(
    superuserUrl(dataDir),
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'",
  );
  await expect.poll(() => countLockHolders(dataDir), patience).toBe(1);
  expect(findPostmaster(clusterOf(dataDir))?.pid).toBe(postmaster);
});

test("a database that cannot be restarted is reported as a fatal error", async () => {
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

test("a second start on the same DATA_DIR is refused with the name of the process that uses it", async () => {
  const dataDir = newDataDir();
  const holder = await startHolderProcess(dataDir);
  const postmaster = findPostmaster(clusterOf(dataDir))?.pid;
  const error = await startFailure(dataDir);
  expect(error).toBeInstanceOf(DataDirInUseError);
  expect(error.message).toMatch(
    new RegExp(`in use by process ${holder.child.pid} since \\d{4}-\\d\\d-\\d\\dT`),
  );
  expect(findPostmaster(clusterOf(dataDir))?.pid).toBe(postmaster);
  expect(await query(holder.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a second start is refused by the lock in the database when the lock file was lost", async () => {
  const dataDir = newDataDir();
  const holder = await startHolderProcess(dataDir);
  rmSync(join(dataDir, "pg", "holder.1.json"));
  const error = await startFailure(dataDir);
  expect(error).toBeInstanceOf(DataDirInUseError);
  expect(error.message).toContain(`process ${holder.child.pid} since `);
  expect(await query(holder.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("two first starts at the same moment: one succeeds and the other is refused", async () => {
  const dataDir = newDataDir();
  const outcomes = await Promise.all(
    [0, 1].map(() => startHolderProcess(dataDir).catch((error: Error) => error.message)),
  );
  const refused = outcomes.filter((outcome) => typeof outcome === "string");
  expect(refused).toEqual([expect.stringContaining("is in use by process ")]);
  const winner = outcomes.find((outcome) => typeof outcome !== "string");
  expect(await query(winner?.url ?? "", "select 1 as one")).toEqual([{ one: 1 }]);
});
