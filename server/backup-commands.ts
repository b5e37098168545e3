import type { Client } from "pg";
import {
  BackupError,
  type BackupKeys,
  type Manifest,
  openBackupFile,
  writeBackupFile,
} from "#adapters/backup/backup-file.ts";
import {
  deleteDrafts,
  deleteOldBackups,
  markUnverified,
  markVerified,
} from "#adapters/backup/backup-folder.ts";
import { checkBackup } from "#adapters/backup/check-backup.ts";
import { copyToS3, type S3Store } from "#adapters/backup/copy-to-s3.ts";
import { dumpDatabase } from "#adapters/backup/dump-database.ts";
import { loadBackup } from "#adapters/backup/load-backup.ts";
import { type KeyTexts, parseKeyTexts, readKeyTexts, writeKeyFiles } from "#adapters/cipher/key-file.ts";
import {
  explainWrongKeys,
  FINGERPRINTS_SETTING,
  keyFingerprints,
} from "#adapters/cipher/key-fingerprints.ts";
import { type AuthorisedContext, requireSystem } from "#core/authorise.ts";
import {
  BACKUP_INTERRUPTED,
  BACKUP_STOPPED,
  BACKUPS_KEY,
  formatBytes,
  type StoredBackups,
} from "#core/backups/backup-record.ts";
import { recordBackup, runOwnBackup, selectBackups } from "#core/backups/backups.server.ts";
import { RESTORED_BACKUP_KEY } from "#core/backups/restored-shop.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import { auditLedger } from "#core/reports/audit-ledger.server.ts";
import { formatDateTime } from "#core/time.ts";
import { withSetupLock } from "#db/migrate.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog, createOutageLog, printLines } from "./log.ts";
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
  const { path, nightly } = argumentsOf(options);
  if (nightly === undefined) {
    await writeAndPrint(options, path);
    return;
  }
  const { env, databaseUrl, embedded } = options;
  const shop = await compose(env, databaseUrl, embedded, createOutageLog(createLog("warn")));
  const ctx = shop.systemContext();
  requireSystem(ctx);
  const run = (id: string) => backUpAndRecord(ctx, id, options);
  try {
    // A shop that has started this command waits for its end itself.
    await (nightly.runId === null ? runOwnBackup(ctx, run) : run(nightly.runId));
  } catch (error) {
    if (!isDomainError(error, "backup-running")) throw error;
    throw new BackupError("Another backup of this shop is running. Nothing was changed.");
  } finally {
    await shop.close();
  }
}

/** Writes a backup, verifies it, deletes old ones and copies it, and records all of it in the database. */
async function backUpAndRecord(
  ctx: AuthorisedContext,
  runId: string,
  options: CommandOptions,
): Promise<void> {
  const { env, stop } = options;
  const { path } = argumentsOf(options);
  const at = ctx.clock.now().toISOString();
  let copyFailure: string | null = null;
  try {
    const isEncrypted = env.backupPassphrase !== undefined;
    const verified = await writeVerified(ctx, runId, options);
    const file = { at, path, bytes: verified.bytes, isEncrypted };
    await recordBackup(ctx, runId, { verified: file, step: "copying" });
    await deleteOld(ctx, env);
    const copy = env.backupS3 === undefined ? null : await copyAndPrint(ctx, path, env.backupS3, stop);
    await recordBackup(ctx, runId, { copy, outcome: "done" });
    if (copy?.kind === "failed") copyFailure = copy.message;
  } catch (error) {
    const outcome = stop.aborted ? "interrupted" : "failed";
    const failure = { at, message: sentenceOf(error, stop) };
    // When the database is gone, the process that started the command records the end.
    await recordBackup(ctx, runId, { outcome, failure }).catch(() => undefined);
    throw error;
  }
  // What runs the command, such as cron, tells the owner only of a command that has failed.
  if (copyFailure !== null) throw new BackupError(`The backup is verified, but not copied: ${copyFailure}`);
}

/** @throws BackupError when the new file differs from the database; it is then renamed */
async function writeVerified(
  ctx: AuthorisedContext,
  runId: string,
  options: CommandOptions,
): Promise<{ bytes: number }> {
  const { env, databaseDirectUrl, stop } = options;
  const { path } = argumentsOf(options);
  for (const folder of [env.backupFolder, env.dataDir]) await deleteDrafts(folder);
  const { bytes } = await writeAndPrint(options, path);
  await recordBackup(ctx, runId, { step: "checking" });
  try {
    const backup = await openBackupFile(path, { passphrase: env.backupPassphrase, folder: env.backupFolder });
    try {
      await checkBackup(databaseDirectUrl, backup, { signal: stop });
    } finally {
      await backup.close();
    }
  } catch (error) {
    const renamed = await markUnverified(path);
    printLines([`The backup could not be verified and does not count. It is now ${renamed}`]);
    await deleteOld(ctx, env);
    throw error;
  }
  await markVerified(path);
  printLines(["Verified: the backup was restored into a scratch database, which has the same rows."]);
  return { bytes };
}

async function deleteOld(ctx: AuthorisedContext, env: Env): Promise<void> {
  const backups = await selectBackups(ctx.db);
  const verified = backups?.stored.verified?.path ?? null;
  const deleted = await deleteOldBackups(env.backupFolder, { timeZone: env.storeTimeZone, verified });
  if (deleted.length > 0)
    printLines([`Deleted ${deleted.length} old ${deleted.length === 1 ? "backup" : "backups"}.`]);
}

/** A copy that fails is recorded. The backup itself stays verified. */
async function copyAndPrint(
  ctx: Context,
  path: string,
  store: S3Store,
  signal: AbortSignal,
): Promise<StoredBackups["copy"]> {
  try {
    const to = await copyToS3(path, store, { signal });
    printLines([`Copied to ${to}.`]);
    return { kind: "copied", at: ctx.clock.now().toISOString(), to };
  } catch (error) {
    if (!(error instanceof BackupError) || signal.aborted) throw error;
    return { kind: "failed", at: ctx.clock.now().toISOString(), message: error.message };
  }
}

/** The reason of a failure, as a sentence for the owner. */
function sentenceOf(error: unknown, stop: AbortSignal): string {
  if (stop.aborted) return BACKUP_INTERRUPTED;
  if (error instanceof BackupError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "ENOSPC") return "The disk is full.";
  return BACKUP_STOPPED;
}

async function writeAndPrint(options: CommandOptions, path: string): Promise<{ bytes: number }> {
  const { env, databaseDirectUrl, stop } = options;
  const passphrase = env.backupPassphrase;
  const keys = passphrase === undefined ? null : await readOwnKeys(env);
  const { manifest, bytes } = await writeBackupFile({
    path,
    encryption: passphrase === undefined || keys === null ? null : { passphrase, keys },
    signal: stop,
    writeTables: (addFile) => dumpDatabase(databaseDirectUrl, addFile),
  });
  printLines([
    `Backup: ${path} (${formatBytes(bytes)})`,
    `${countsOf(manifest)}, as they were on ${formatDateTime(new Date(manifest.createdAt), env.storeTimeZone)}.`,
    ...(keys === null
      ? [
          "It does not contain the keys. Without them nobody can read its access codes and shared passwords:",
          `also keep ${nameKeys(env)}.`,
          "With BACKUP_PASSPHRASE, backups are encrypted and contain the keys.",
        ]
      : ["It is encrypted and contains the keys. Keep BACKUP_PASSPHRASE in another place."]),
  ]);
  return { bytes };
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

/**
 * Sessions, links, tickets and devices that ended after the backup must not work again. The rate limits are out of date. A device
 * is released as after a new password, so that it counts against no limit of the buyer.
 */
const ENDED_BY_A_RESTORE =
  "delete from sessions; delete from verifications; delete from device_tickets; delete from rate_limits; update devices set released_at = now(), released_by = 'password-reset' where released_at is null";
/** What the shop has recorded about its backups: their files may be on another machine. */
const FORGOTTEN_BY_A_RESTORE = `delete from settings where key = '${BACKUPS_KEY}'`;

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
    const afterwards = async (client: Client) => {
      await client.query(ENDED_BY_A_RESTORE);
      await client.query(FORGOTTEN_BY_A_RESTORE);
      const known = await client.query("select value from settings where key = $1", [FINGERPRINTS_SETTING]);
      if (!withoutKeys) await provideKeys(env, backup.keys, known.rows[0]?.value);
      await client.query(MARK_RESTORED, [RESTORED_BACKUP_KEY, restoredNow(manifest)]);
    };
    // No other process sets the database up meanwhile.
    await withSetupLock(options.databaseDirectUrl, async (client) => {
      await loadBackup(client, backup, { signal: options.stop, afterwards });
      // Tells the planner about the new rows.
      await client.query("analyze");
    });
  } finally {
    await backup.close();
  }
  printLines([`Restored the backup of ${backupAt}: ${countsOf(manifest)}.`]);
  if (withoutKeys)
    return printLines(["The keys are missing. Run npm run keys:give-up before the first start."]);
  await checkLedger(options);
  printLines([
    "Everybody has to sign in again, and to connect the browser extension again.",
    "Mail, refunds, sales and giveaways wait until an admin confirms in the admin area that this is now the shop.",
    ...(env.databaseUrl !== undefined && env.authSecret === undefined
      ? [`On a public address, set AUTH_SECRET and VAULT_KEYS to the contents of ${env.dataDir}/keys.`]
      : []),
  ]);
}

/** A backup of a restored shop that nobody has confirmed: the sales since the backup before it are still missing. */
const MARK_RESTORED = `insert into settings (key, value) values ($1, $2) on conflict (key) do update
  set value = excluded.value || case when settings.value ->> 'confirmedAt' is null
    then jsonb_build_object('backupAt', settings.value -> 'backupAt') else '{}' end`;

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
async function provideKeys(env: Env, fromBackup: BackupKeys | null, known: unknown): Promise<void> {
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

/**
 * Compares payments, passes and refunds, as the job `audit-ledger` does. The restore did not cause a discrepancy, so none undoes
 * it.
 */
async function checkLedger({ env, databaseUrl, embedded }: CommandOptions): Promise<void> {
  const shop = await compose(env, databaseUrl, embedded, createOutageLog(createLog("silent")));
  try {
    const { counts } = await auditLedger(shop.systemContext());
    const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
    printLines([
      found === 0
        ? "The ledger is right: every payment is one pass or one refund."
        : `Discrepancies in the ledger, as in the backup: ${found}. Overview in the admin area lists them.`,
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
