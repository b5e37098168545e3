import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  afterTest,
  clusterOf,
  newDataDir,
  query,
  start,
  startFailure,
  startWith,
} from "./data-dir-fixtures.ts";
import { findPostmaster } from "./postmaster.ts";
import { databaseProcessesIn } from "./processes.ts";
import { StartupError } from "./startup-error.ts";

const asRoot = process.getuid?.() === 0;

test("a database keeps its rows and address over a restart, and a stop leaves no process", async () => {
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

test("a folder with characters that a shell would replace works, and keeps its rows", async () => {
  const dataDir = join(newDataDir(), 'a $HOME `x` "b"');
  const first = await start(dataDir);
  await query(first.url, "create table kept (id int); insert into kept values (1)");
  await first.stop();
  const second = await start(dataDir);
  expect(await query(second.url, "select id from kept")).toEqual([{ id: 1 }]);
});

test("the shop's role owns its database, may create extensions and is no superuser", async () => {
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

test("the cluster and its passwords are readable by their owner only, and no password is logged", async () => {
  const dataDir = newDataDir();
  const { url } = await start(dataDir);
  const password = new URL(url).password;
  expect(statSync(join(clusterOf(dataDir), "daypass.json")).mode & 0o777).toBe(0o600);
  expect(statSync(clusterOf(dataDir)).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(dataDir, "pg", "postgres.log"), "utf8")).not.toContain(password);
});

test.each([
  0o755, 0o700,
])("a database that stays empty is deleted by the start that made it, and never with a table in it: %o", async (parentMode) => {
  const dataDir = newDataDir(parentMode);
  const empty = await start(dataDir);
  afterTest(() => rmSync(dirname(empty.folder), { recursive: true, force: true }));
  await empty.stopAndDiscard();
  expect(existsSync(empty.folder)).toBe(false);
  const first = await start(dataDir);
  await query(first.url, "create table kept (id int)");
  await first.stopAndDiscard();
  expect(existsSync(first.folder)).toBe(true);
}, 60_000);

test("a database works below a folder that only its owner may enter", async () => {
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
    afterTest(() => rmSync(home, { recursive: true }));
    expect(lines[0]).toContain(`the database is in ${home}`);
  }
  const second = await start(dataDir);
  expect(await query(second.url, "select id from kept")).toEqual([{ id: 1 }]);
  await second.stop();

  rmSync(dataDir, { recursive: true });
  const fresh = await start(dataDir);
  await expect(query(fresh.url, "select id from kept")).rejects.toThrow(/does not exist/);
}, 60_000);

test.each([
  "renamed folder",
  "changed PG_VERSION",
])("no database is created beside one of another major version: %s", async (how) => {
  const dataDir = newDataDir();
  await (await start(dataDir)).stop();
  const cluster = clusterOf(dataDir);
  if (how === "renamed folder") renameSync(cluster, join(dataDir, "pg", "17"));
  writeFileSync(join(how === "renamed folder" ? join(dataDir, "pg", "17") : cluster, "PG_VERSION"), "17\n");
  expect((await startFailure(dataDir)).message).toMatch(
    /was made by PostgreSQL 17 and this is PostgreSQL 18\. Nothing was started\. .*: npm run backup\. .*: npm run restore -- FILE$/,
  );
  expect(existsSync(cluster)).toBe(how !== "renamed folder");
});

test.each([
  0o755, 0o700,
])("a restore makes its database beside one of another major version, which stays until it is set aside: %o", async (parentMode) => {
  const dataDir = newDataDir(parentMode);
  const first = await start(dataDir);
  await query(first.url, "create table kept (id int)");
  await first.stop();
  const home = dirname(first.folder);
  afterTest(() => rmSync(home, { recursive: true, force: true }));
  const older = join(home, "17");
  renameSync(first.folder, older);
  writeFileSync(join(older, "PG_VERSION"), "17\n");
  const refused = await startWith({ dataDir, allowsOtherMajor: true });
  await refused.stopAndDiscard();
  expect(readdirSync(home).filter((name) => /^\d/.test(name))).toEqual(["17"]);
  // The version of the shop that made it starts with it again.
  writeFileSync(join(older, "PG_VERSION"), "18\n");
  renameSync(older, first.folder);
  const again = await start(dataDir);
  expect(await query(again.url, "select from kept")).toEqual([]);
  await again.stop();
  renameSync(first.folder, older);
  writeFileSync(join(older, "PG_VERSION"), "17\n");

  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const restored = await startWith({ dataDir, allowsOtherMajor: true, log });
  await restored.setOthersAside();
  await query(restored.url, "create table restored (id int)");
  await restored.stopAndDiscard();
  const names = readdirSync(home).filter((name) => /^\d/.test(name));
  expect(names.sort()).toEqual([expect.stringMatching(/^17\.left-/), "18"]);
  expect(lines.join()).toContain(`was set aside as ${join(home, names[0] ?? "")}.`);
  expect(await query((await start(dataDir)).url, "select from restored")).toEqual([]);
}, 120_000);

test("a folder that contains no database is refused and left unchanged", async () => {
  const dataDir = newDataDir();
  mkdirSync(clusterOf(dataDir), { recursive: true, mode: 0o755 });
  for (const folder of [dataDir, join(dataDir, "pg")]) chmodSync(folder, 0o755);
  writeFileSync(join(clusterOf(dataDir), "photo.jpg"), "mine");
  expect((await startFailure(dataDir)).message).toMatch(/exists and is not a database/);
  expect(readFileSync(join(clusterOf(dataDir), "photo.jpg"), "utf8")).toBe("mine");
});

test("an unusable DATA_DIR is refused with one sentence", async () => {
  const file = join(newDataDir(), "..", "file");
  writeFileSync(file, "");
  const error = await startFailure(join(file, "data"));
  expect(error).toBeInstanceOf(StartupError);
  expect(error.message).toMatch(/^DATA_DIR cannot be used: .*a file, not a folder\.$/);
  expect((await startFailure("/proc/nowhere/data")).message).toBe(
    "DATA_DIR cannot be used: /proc/nowhere cannot be made.",
  );
});
