import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  BackupError,
  type BackupKeys,
  type Manifest,
  openBackupFile,
  writeBackupFile,
} from "#adapters/backup/backup-file.ts";
import { dumpDatabase, prepareSession } from "#adapters/backup/dump-database.ts";
import { loadBackup } from "#adapters/backup/load-backup.ts";
import { type KeyTexts, parseKeyTexts, readKeyTexts, writeKeyFiles } from "#adapters/cipher/key-file.ts";
import {
  explainWrongKeys,
  FINGERPRINTS_SETTING,
  keyFingerprints,
} from "#adapters/cipher/key-fingerprints.ts";
import { RESTORED_BACKUP_KEY } from "#core/backups/restored-shop.server.ts";
import { auditLedger } from "#core/reports/audit-ledger.server.ts";
import { formatDateTime } from "#core/time.ts";
import { withSetupLock } from "#db/migrate.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog, createOutageLog } from "./log.ts";
import type { BackupArguments } from "./start/backup-arguments.ts";

interface CommandOptions {
  env: Env;
  databaseUrl: string;
  databaseDirectUrl: string;
  embedded: boolean;
  backup: BackupArguments | null;
  stop: AbortSignal;
}

/** Writes a backup and prints what is in it, and which keys it lacks. The shop may run. */
export async function backUpAndPrint(options: CommandOptions): Promise<void> {
  const { env, databaseDirectUrl, stop } = options;
  const { path } = argumentsOf(options);
  const passphrase = env.backupPassphrase;
  const keys = passphrase === undefined ? null : await readOwnKeys(env);
  const { manifest, bytes } = await writeBackupFile({
    path,
    encryption: passphrase === undefined || keys === null ? null : { passphrase, keys },
    signal: stop,
    writeTables: (addFile) => dumpDatabase(databaseDirectUrl, addFile),
  });
  print([
    `Backup: ${path} (${formatBytes(bytes)})`,
    `${countsOf(manifest)}, as they were on ${formatDateTime(new Date(manifest.createdAt), env.storeTimeZone)}.`,
    ...(keys === null
      ? [
          "The keys are not in it. Without them nobody can read its access codes and shared passwords:",
          `also keep ${nameKeys(env)}.`,
          "With BACKUP_PASSPHRASE, backups are encrypted and contain the keys.",
        ]
      : ["It is encrypted and contains the keys. Keep BACKUP_PASSPHRASE in another place."]),
  ]);
}

/** @throws BackupError when there are none */
async function readOwnKeys(env: Env): Promise<BackupKeys> {
  const { authSecret, vaultKeys } = await readKeyTexts(env);
  if (authSecret === undefined || vaultKeys === undefined)
    throw new BackupError(
      `There are no keys in ${env.dataDir}: run this with the settings of the shop, after its first start.`,
    );
  return { authSecret, vaultKeys };
}

function nameKeys({ authSecret, vaultKeys, dataDir }: Env): string {
  const variables = [
    ...(authSecret === undefined ? [] : ["AUTH_SECRET"]),
    ...(vaultKeys.length === 0 ? [] : ["VAULT_KEYS"]),
  ];
  const files = variables.length < 2 ? [`the folder ${dataDir}/keys`] : [];
  return [...variables.map((name) => `the value of ${name}`), ...files].join(" and ");
}

/** Whoever was signed out, or was refused, after the backup must stay so. */
const ENDED_BY_A_RESTORE =
  "delete from sessions; delete from verifications; delete from device_tickets; delete from rate_limits";

/**
 * Restores a backup into an empty database, and the keys of an encrypted one into DATA_DIR. All or nothing: it is one
 * transaction. Ends every session. No mail, refund or sale happens until an admin confirms that this is the shop.
 */
export async function restoreAndPrint(options: CommandOptions): Promise<void> {
  const { env } = options;
  const { path, withoutKeys } = argumentsOf(options);
  const backup = await openBackupFile(path, { passphrase: env.backupPassphrase, folder: env.dataDir });
  const { manifest } = backup;
  const backupAt = formatDateTime(new Date(manifest.createdAt), env.storeTimeZone);
  try {
    await withSetupLock(options.databaseDirectUrl, async (client) => {
      await prepareSession(client);
      await client.query("begin");
      await loadBackup(client, backup, { signal: options.stop });
      await client.query(ENDED_BY_A_RESTORE);
      const known = await client.query("select value from settings where key = $1", [FINGERPRINTS_SETTING]);
      if (!withoutKeys) await bringKeys(env, backup.keys, known.rows[0]?.value);
      await client.query(
        "insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value",
        [RESTORED_BACKUP_KEY, restoredNow(manifest)],
      );
      await client.query("commit");
      await client.query("analyze");
    });
  } finally {
    await backup.close();
  }
  print([`Restored the backup of ${backupAt}: ${countsOf(manifest)}.`]);
  if (withoutKeys) return print(["The keys are missing: run npm run keys:give-up before the first start."]);
  await checkBooks(options);
  print([
    "Everybody has to sign in again.",
    "Mail, refunds, sales and giveaways wait until an admin confirms in the admin area that this is now the shop.",
    ...(env.databaseUrl !== undefined && env.authSecret === undefined
      ? [`On a public address, set AUTH_SECRET and VAULT_KEYS to the contents of ${env.dataDir}/keys.`]
      : []),
  ]);
}

/**
 * Copies a whole database into an empty one: the shop stays the same shop, so that sessions go on. Writes a backup at `path`,
 * in the place of one that an interrupted move has left, and keeps it.
 */
export async function copyDatabase(options: {
  fromUrl: string;
  toUrl: string;
  path: string;
  stop: AbortSignal;
}): Promise<void> {
  const { path, stop: signal } = options;
  await rm(path, { force: true });
  await writeBackupFile({
    path,
    encryption: null,
    signal,
    writeTables: (addFile) => dumpDatabase(options.fromUrl, addFile),
  });
  const backup = await openBackupFile(path, { passphrase: undefined, folder: dirname(path) });
  try {
    await withSetupLock(options.toUrl, async (client) => {
      await prepareSession(client);
      await client.query("begin");
      await loadBackup(client, backup, { signal });
      await client.query("commit");
      await client.query("analyze");
    });
  } finally {
    await backup.close();
  }
}

const restoredNow = (manifest: Manifest) => ({
  restoredAt: new Date().toISOString(),
  backupAt: manifest.createdAt,
  confirmedAt: null,
});

/**
 * Makes sure that the shop will have the keys of the restored database. Files that are missing are written from the backup.
 *
 * @param known what the database has stored of the keys that it is used with
 * @throws BackupError
 */
async function bringKeys(env: Env, fromBackup: BackupKeys | null, known: unknown): Promise<void> {
  const own: KeyTexts = await readKeyTexts(env);
  const authSecret = own.authSecret ?? fromBackup?.authSecret;
  const vaultKeys = own.vaultKeys ?? fromBackup?.vaultKeys;
  const remedy = `Put the folder keys of the shop into ${env.dataDir}, or set AUTH_SECRET and VAULT_KEYS to its values. If they are lost, add --without-keys.`;
  if (authSecret === undefined || vaultKeys === undefined)
    throw new BackupError(`The backup needs the keys of the shop, which are not in it. ${remedy}`);
  const problem = explainWrongKeys(known, keyFingerprints(parseKeyTexts({ authSecret, vaultKeys })));
  if (problem !== undefined) throw new BackupError(`These are not the keys of the backup. ${remedy}`);
  if (fromBackup !== null) await writeKeyFiles(env.dataDir, { authSecret, vaultKeys });
}

/** Compares payments, passes and refunds, as the job does. A fault is not one of the restore, so it does not undo it. */
async function checkBooks({ env, databaseUrl, embedded }: CommandOptions): Promise<void> {
  const shop = await compose(env, databaseUrl, embedded, createOutageLog(createLog("silent")));
  try {
    const { counts } = await auditLedger(shop.systemContext());
    const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
    print([
      found === 0
        ? "The books are right: every payment is one pass or one refund."
        : `The books have ${found} discrepancies, as in the backup. The admin area lists them.`,
    ]);
  } finally {
    await shop.close();
  }
}

function argumentsOf({ backup }: CommandOptions): BackupArguments {
  if (backup === null) throw new Error("the command has no arguments");
  return backup;
}

function countsOf({ tables }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows.toLocaleString("en-IN")} rows in ${tables.length} tables`;
}

function formatBytes(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes < 1 ? `${Math.ceil(bytes / 1000)} kB` : `${megabytes.toFixed(1)} MB`;
}

const print = (lines: readonly string[]) => {
  process.stdout.write(`${lines.map((line) => `  ${line}`).join("\n")}\n`);
};
