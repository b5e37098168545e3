import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { loadOrCreateKeys } from "#adapters/cipher/key-file.ts";
import { checkKeyFingerprints, keyFingerprints } from "#adapters/cipher/key-fingerprints.ts";
import { readBackupHealth, selectBackups } from "#core/backups/backups.server.ts";
import { readGoLiveChecklist } from "#core/reports/go-live-checklist.server.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { startFakeS3 } from "../tests/fake-s3/fake-s3.ts";
import { openTestShop } from "../tests/fixtures/open-test-shop.ts";
import { backUpAndPrint } from "./backup-commands.ts";
import { readEnv } from "./env.ts";
import { readBackupArguments } from "./start/backup-arguments.ts";

const PASSPHRASE = "correct horse battery";
/** The lock of the check: adapters/backup/check-backup.ts. */
const CHECK_LOCK = 7_261_002;
const dataDir = mkdtempSync(join(tmpdir(), "nightly-backup-"));
const folder = join(dataDir, "backups");
const s3 = await startFakeS3();
const database = await freshDatabase();
const shop = openTestShop(database, { clock: { now: () => new Date() } });
afterAll(async () => {
  await s3.stop();
  await shop.close();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeAll(async () => {
  const keys = await loadOrCreateKeys({ authSecret: undefined, vaultKeys: [], dataDir, mayGenerate: true });
  await checkKeyFingerprints(shop.db, keyFingerprints(keys));
});
beforeEach(async () => {
  // The command prints for the person at the terminal.
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await shop.pool.query("delete from settings where key = 'backups'");
  rmSync(folder, { recursive: true, force: true });
  s3.objects.clear();
  s3.faults.length = 0;
});

async function backUp({ now = new Date(), stop = new AbortController().signal } = {}): Promise<void> {
  const env = readEnv({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    BACKUP_PASSPHRASE: PASSPHRASE,
    BACKUP_S3_URL: s3.url("/bucket"),
  });
  const backup = readBackupArguments("backup", ["--nightly"], {
    folder: env.backupFolder,
    isEncrypted: true,
    now,
  });
  const { url } = database;
  await backUpAndPrint({ env, databaseUrl: url, databaseDirectUrl: url, embedded: false, backup, stop });
}
const recorded = async () => (await selectBackups(shop.db))?.stored;
const scratchDatabases = async () =>
  (
    await shop.pool.query(
      "select from pg_database where datname = left(current_database(), 40) || '_backup_check'",
    )
  ).rowCount;

test("a nightly backup is verified and copied, deletes old files, and completes the item of the checklist", async () => {
  mkdirSync(folder);
  const old = ["daypass-2026-01-01T01-00-00Z.zip", "daypass-2026-01-01T02-00-00Z.zip", "mine.zip"];
  for (const name of old) writeFileSync(join(folder, name), "old");
  const admin = await shop.user("admin");
  const hasItem = async () => (await readGoLiveChecklist(admin)).some(({ id }) => id === "backup");
  expect(await hasItem()).toBe(true);
  await backUp();
  const { verified, copy, outcome } = (await recorded()) ?? {};
  const path = verified?.path ?? "";
  expect(outcome).toBe("done");
  expect(verified).toMatchObject({ isEncrypted: true, bytes: statSync(path).size });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(existsSync(join(folder, "daypass-2026-01-01T01-00-00Z.zip"))).toBe(false);
  expect(readdirSync(folder).filter((one) => one !== "verified.txt")).toHaveLength(3);
  expect(readFileSync(join(folder, "verified.txt"), "utf8")).toBe(`${basename(path)}\n`);
  const name = path.slice(folder.length + 1);
  expect(copy).toMatchObject({ kind: "copied", to: `${s3.host}/bucket/${name}` });
  expect(s3.objects.get(`/bucket/${name}`)?.equals(readFileSync(path))).toBe(true);
  expect(await scratchDatabases()).toBe(0);
  expect(await hasItem()).toBe(false);
});

test("a copy that fails leaves the backup verified, and is recorded without a key", async () => {
  s3.faults.push({ on: "PUT", status: 403, code: "AccessDenied", times: 9 });
  await expect(backUp()).rejects.toThrow(/^The backup is verified, but not copied: .*AccessDenied/);
  const stored = await recorded();
  expect(stored).toMatchObject({ outcome: "done", failure: null, copy: { kind: "failed" } });
  expect(stored?.copy).toMatchObject({
    message: expect.stringMatching(/failed: S3 returned 403 – AccessDenied\.$/),
  });
  expect(existsSync(stored?.verified?.path ?? "")).toBe(true);
});

test("a backup that cannot be verified does not count, and the verified one before it stays", async () => {
  await backUp();
  const before = (await recorded())?.verified;
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("select pg_advisory_lock($1)", [CHECK_LOCK]);
  await expect(backUp({ now: new Date(Date.now() + 60_000) })).rejects.toThrow(/is being checked/);
  const stored = await recorded();
  expect(stored).toMatchObject({
    outcome: "failed",
    verified: before,
    failure: { message: expect.stringMatching(/is being checked/) },
  });
  expect(readdirSync(folder).filter((name) => name.endsWith(".unverified"))).toHaveLength(1);
  expect(existsSync(before?.path ?? "")).toBe(true);
  expect(s3.objects.size).toBe(1);
});

test("only one of two backups at once runs; the other one is refused and changes nothing", async () => {
  const results = await Promise.allSettled([backUp(), backUp({ now: new Date(Date.now() + 60_000) })]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = results.find((result) => result.status === "rejected");
  expect(refused?.reason).toMatchObject({
    name: "BackupError",
    message: expect.stringMatching(/is running/),
  });
  expect(readdirSync(folder).filter((one) => one !== "verified.txt")).toHaveLength(1);
});

test("a backup that is stopped leaves no file and no scratch database, and is recorded as interrupted", async () => {
  await expect(backUp({ stop: AbortSignal.abort() })).rejects.toThrow();
  expect(await recorded()).toMatchObject({ outcome: "interrupted", verified: null });
  expect(readdirSync(folder)).toEqual([]);
  expect(await scratchDatabases()).toBe(0);
  await expect(readBackupHealth(await shop.user("admin"))).resolves.toMatchObject({ state: "interrupted" });
});

test("a nightly backup chooses its file name itself", () => {
  const options = { folder, isEncrypted: false, now: new Date() };
  expect(() => readBackupArguments("backup", ["my.zip", "--nightly"], options)).toThrow(
    /chooses the file name itself/,
  );
  expect(() => readBackupArguments("restore", ["my.zip", "--nightly"], options)).toThrow(
    /--nightly is unknown/,
  );
});
