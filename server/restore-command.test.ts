import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openPromise } from "yauzl";
import { loadOrCreateKeys } from "#adapters/cipher/key-file.ts";
import { checkKeyFingerprints, keyFingerprints } from "#adapters/cipher/key-fingerprints.ts";
import { ensureFirstAdmin } from "#core/accounts/set-up-admin.server.ts";
import { openDatabase } from "#db/database.ts";
import { emptyDatabase, freshDatabase } from "../tests/database/database.ts";
import { openTestShop } from "../tests/fixtures/open-test-shop.ts";
import { freePort } from "../tests/free-port.ts";
import { backUpAndPrint, restoreAndPrint } from "./backup-commands.ts";
import { findOtherCluster } from "./embedded-postgres/locate-cluster.ts";
import { readEnv } from "./env.ts";
import { runTask } from "./main.ts";
import { readBackupArguments } from "./start/backup-arguments.ts";
import { openForDoctor } from "./start/doctor-setup.ts";

const PASSPHRASE = "correct horse battery";
const stop = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "restore-command-test-"));
let count = 0;
const newFolder = () => join(folder, String(++count));

const database = await freshDatabase();
const shop = openTestShop(database, { clock: { now: () => new Date("2026-11-24T10:00:00Z") } });
const dataDir = newFolder();
let plain: string;
let encrypted: string;
afterAll(async () => {
  await shop.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Options {
  url: string;
  dataDir: string;
  passphrase?: string;
  path: string;
  withoutKeys?: boolean;
}

const commandOptions = ({ url, dataDir, passphrase, path, withoutKeys = false }: Options) => ({
  env: readEnv({ DATABASE_URL: url, DATA_DIR: dataDir, BACKUP_PASSPHRASE: passphrase }),
  databaseUrl: url,
  databaseDirectUrl: url,
  embedded: false,
  backup: { path, withoutKeys },
  stop,
});

/** Runs a command and returns what it prints. */
async function printed(command: () => Promise<void>): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await command();
    return write.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    write.mockRestore();
  }
}

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password: "the owner's own password" });
  const keys = await loadOrCreateKeys({ authSecret: undefined, vaultKeys: [], dataDir, mayGenerate: true });
  await checkKeyFingerprints(shop.db, keyFingerprints(keys));
  await shop.pool.query(
    // The backups that this shop knows are not on the machine of the restore.
    "insert into settings (key, value) values ('backups', '{}'); insert into sessions (id, user_id, token, expires_at) select gen_random_uuid(), id, 'token', now() + interval '1 day' from users; insert into devices (id, user_id, installation_id, name, extension_version, token_hash, last_seen_at) select gen_random_uuid(), id, gen_random_uuid(), 'Chrome', '1.0.0', 'hash', now() from users",
  );
  writeFileSync(join(dataDir, ".env"), "RAZORPAY_KEY_SECRET=hunter2");
  plain = join(newFolder(), "plain.zip");
  encrypted = join(newFolder(), "encrypted.zip.age");
  await printed(() => backUpAndPrint(commandOptions({ url: database.url, dataDir, path: plain })));
  await printed(() =>
    backUpAndPrint(commandOptions({ url: database.url, dataDir, passphrase: PASSPHRASE, path: encrypted })),
  );
});

async function openTarget() {
  const target = await emptyDatabase();
  const { pool, close } = openDatabase(target.url, { onBrokenConnection: () => undefined });
  onTestFinished(async () => {
    await close();
    await target.drop();
  });
  const isEmpty = async () => (await pool.query("select to_regclass('users') as t")).rows[0]?.t === null;
  return { url: target.url, pool, isEmpty, dataDir: newFolder() };
}

test("a folder in the place of the backup is named", () => {
  const options = { folder: dataDir, isEncrypted: false, now: new Date() };
  expect(() => readBackupArguments("restore", [folder], options)).toThrow(
    `${folder} is a folder. Name the file of the backup.`,
  );
});

test("a backup has the tables and what describes them, and no other file of the shop, such as .env", async () => {
  const names: string[] = [];
  for await (const { fileName } of (await openPromise(plain)).eachEntry()) names.push(fileName);
  expect(names).toContain("tables/users.copy");
  const others = names.filter((name) => !/^tables\/\w+\.copy$/.test(name));
  expect(others.toSorted()).toEqual(["README.txt", "manifest.json"]);
});

test("an encrypted backup brings its keys, ends every session, and leaves the shop unconfirmed", async () => {
  const { url, pool, dataDir: own } = await openTarget();
  const options = commandOptions({ url, dataDir: own, passphrase: PASSPHRASE, path: encrypted });
  const text = await printed(() => restoreAndPrint(options));
  expect(text).toMatch(/Restored the backup of .*: \d+ rows in \d+ tables/);
  expect(text).toMatch(/ledger is right/);
  for (const name of ["auth-secret", "vault-keys"]) {
    const file = join(own, "keys", name);
    expect(readFileSync(file, "utf8")).toBe(readFileSync(join(dataDir, "keys", name), "utf8"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect((await pool.query("select from users")).rowCount).toBe(1);
  expect((await pool.query("select from sessions")).rowCount).toBe(0);
  // A device that was released after the backup must not get codes again.
  expect((await pool.query("select released_by from devices where released_at is not null")).rows).toEqual([
    { released_by: "password-reset" },
  ]);
  expect((await pool.query("select from settings where key = 'backups'")).rowCount).toBe(0);
  const { rows } = await pool.query("select value from settings where key = 'restored-backup'");
  expect(rows[0]?.value).toMatchObject({ confirmedAt: null, backupAt: expect.any(String) });
});

test("a backup without keys is refused until the keys are there, and nothing is restored", async () => {
  const target = await openTarget();
  const options = commandOptions({ ...target, path: plain });
  await expect(printed(() => restoreAndPrint(options))).rejects.toThrow(/needs the keys of the shop/);
  expect(await target.isEmpty()).toBe(true);
  expect(existsSync(join(target.dataDir, "keys"))).toBe(false);
  await printed(() => restoreAndPrint(commandOptions({ url: target.url, dataDir, path: plain })));
  expect(await target.isEmpty()).toBe(false);
});

/** What a task of a shop with this DATA_DIR gets. In place of the bundle: a restore is refused, or writes a table. */
function prepareTasks(own: string) {
  const root = newFolder();
  mkdirSync(join(root, "build", "server"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(root, "build/server/index.js"),
    `import pg from ${JSON.stringify(import.meta.resolve("pg"))};
    export const startShop = () => { throw new Error("started"); };
    export const restore = async ({ databaseUrl, backup }) => {
      if (!backup.withoutKeys) throw Object.assign(new Error("These are not the keys."), { name: "BackupError" });
      const client = new pg.Client(databaseUrl);
      await client.connect();
      await client.query("create table users ()");
      await client.end();
      globalThis.afterRestore?.();
    };`,
  );
  // As root, another user runs the database.
  chmodSync(folder, 0o755);
  vi.stubEnv("DATA_DIR", own);
  onTestFinished(() => void vi.unstubAllEnvs());
  const printedError = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => printedError.mockRestore());
  const preparation = { root, build: async () => undefined, replaced: stop, onReady: () => undefined };
  return { preparation, printedError };
}

test("a restore that is refused leaves no database in DATA_DIR, and one that is made leaves it", async () => {
  const own = newFolder();
  const { preparation, printedError } = prepareTasks(own);
  expect(await runTask("restore", { ...preparation, flags: [plain] })).toBe(1);
  expect(printedError).toHaveBeenCalledWith("These are not the keys.");
  const setup = await openForDoctor({ DATA_DIR: own });
  expect(setup.database).toMatchObject({
    problem: { detail: expect.stringMatching(/There is no database/) },
  });
  expect(await runTask("restore", { ...preparation, flags: [plain, "--without-keys"] })).toBe(0);
  const restored = await openForDoctor({ DATA_DIR: own });
  await restored.stop();
  expect(restored.database).toMatchObject({ url: expect.any(String) });
}, 60_000);

test("a start with the database of another PostgreSQL names the two commands; a restore that is made sets that database aside", async () => {
  const own = newFolder();
  const { preparation, printedError } = prepareTasks(own);
  vi.stubEnv("PORT", String(await freePort()));
  mkdirSync(join(own, "pg", "17"), { recursive: true });
  writeFileSync(join(own, "pg", "17", "PG_VERSION"), "17\n");
  const names = () => readdirSync(join(own, "pg")).filter((name) => /^\d/.test(name));
  const expectRefused = async (task: "start" | "backup") => {
    printedError.mockClear();
    expect(await runTask(task, { ...preparation, flags: [] })).toBe(1);
    expect(printedError).toHaveBeenCalledWith(
      `${join(realpathSync(own), "pg", "17")} was made by PostgreSQL 17 and this is PostgreSQL 18. Nothing was started. Make a backup with the earlier version of the shop: npm run backup. Then restore it with this version: npm run restore -- FILE`,
    );
    expect(names()).toEqual(["17"]);
  };
  await expectRefused("start");
  await expectRefused("backup");
  expect(await runTask("restore", { ...preparation, flags: [plain] })).toBe(1);
  await expectRefused("start");
  expect(await runTask("restore", { ...preparation, flags: [plain, "--without-keys"] })).toBe(0);
  expect(names().sort()).toEqual([expect.stringMatching(/^17\.left-/), "18"]);
}, 60_000);

test("a restore beside the database of another PostgreSQL that was interrupted counts for nothing, and is begun again", async () => {
  const own = newFolder();
  const { preparation } = prepareTasks(own);
  for (const major of ["9", "17"]) {
    mkdirSync(join(own, "pg", major), { recursive: true });
    writeFileSync(join(own, "pg", major, "PG_VERSION"), `${major}\n`);
  }
  const names = () => readdirSync(join(own, "pg")).filter((name) => /^\d|^restoring/.test(name));
  const options = { ...preparation, flags: [plain, "--without-keys"] };
  const interrupted = new AbortController();
  vi.stubGlobal("afterRestore", () => interrupted.abort());
  onTestFinished(() => void vi.unstubAllGlobals());
  await runTask("restore", { ...options, replaced: interrupted.signal });
  expect(names().sort()).toEqual(["17", "18", "9", "restoring-18"]);
  expect(findOtherCluster(own, 18)).toMatchObject({ major: "17" });
  expect(findOtherCluster(own, 17)).toBeNull();
  // It would fail in the database that the first one has filled.
  expect(await runTask("restore", options)).toBe(0);
  expect(names().sort()).toEqual([
    expect.stringMatching(/^17\.left-/),
    "18",
    expect.stringMatching(/^9\.left-/),
  ]);
  expect(findOtherCluster(own, 18)).toBeNull();
  // It was killed before its very last step: the next major version must find the database.
  writeFileSync(join(own, "pg", "restoring-18"), "");
  const started = await openForDoctor({ DATA_DIR: own });
  await started.stop();
  expect(findOtherCluster(own, 19)).toMatchObject({ major: "18" });
}, 60_000);

test.each([
  ["plain", () => plain, undefined],
  ["encrypted", () => encrypted, PASSPHRASE],
])("the keys of another shop are refused, and nothing is restored or overwritten: %s", async (_, path, passphrase) => {
  const target = await openTarget();
  const other = await loadOrCreateKeys({
    authSecret: undefined,
    vaultKeys: [],
    dataDir: target.dataDir,
    mayGenerate: true,
  });
  const options = commandOptions({
    ...target,
    path: path(),
    ...(passphrase !== undefined && { passphrase }),
  });
  await expect(printed(() => restoreAndPrint(options))).rejects.toThrow(/not the keys of the backup/);
  expect(await target.isEmpty()).toBe(true);
  expect(readFileSync(join(target.dataDir, "keys/auth-secret"), "utf8").trim()).toBe(other.authSecret);
});

test("a backup is restored without the keys when the owner says that they are lost", async () => {
  const target = await openTarget();
  const text = await printed(() =>
    restoreAndPrint(commandOptions({ ...target, path: plain, withoutKeys: true })),
  );
  expect(text).toMatch(/keys:give-up/);
  expect(await target.isEmpty()).toBe(false);
});

test("only one of two restores at once into one database does the work; the other is refused", async () => {
  const target = await openTarget();
  const runs = [1, 2].map(() =>
    restoreAndPrint(commandOptions({ url: target.url, dataDir, path: plain })).then(
      () => "restored",
      (error: Error) => error.message,
    ),
  );
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const results = await Promise.all(runs).finally(() => write.mockRestore());
  expect(results.filter((result) => result === "restored")).toHaveLength(1);
  expect(results.find((result) => result !== "restored")).toMatch(/already contains a shop/);
});

test("a restore of a backup of a restored shop that nobody has confirmed keeps the date of the first backup", async () => {
  const first = await openTarget();
  await printed(() => restoreAndPrint(commandOptions({ url: first.url, dataDir, path: plain })));
  const backupAtOf = async ({ pool }: typeof first) =>
    (await pool.query("select value ->> 'backupAt' as at from settings where key = 'restored-backup'"))
      .rows[0]?.at;
  const again = async () => {
    const path = join(newFolder(), "again.zip");
    await printed(() => backUpAndPrint(commandOptions({ url: first.url, dataDir, path })));
    const target = await openTarget();
    await printed(() => restoreAndPrint(commandOptions({ url: target.url, dataDir, path })));
    return backupAtOf(target);
  };
  expect(await again()).toBe(await backupAtOf(first));
  await first.pool.query(
    `update settings set value = value || '{"confirmedAt":"2026-11-24T10:00:00.000Z"}' where key = 'restored-backup'`,
  );
  expect(await again()).not.toBe(await backupAtOf(first));
});
