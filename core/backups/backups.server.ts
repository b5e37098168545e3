import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireSystem } from "../authorise.ts";
import {
  type CommandRun,
  keepAlive,
  runCommand,
  selectCommandRun,
  updateCommandRun,
} from "../command-runs.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { HOUR } from "../time.ts";
import {
  BACKUP_INTERRUPTED,
  BACKUP_STOPPED,
  BACKUPS_KEY,
  type BackupHealth,
  type StoredBackups,
  storedBackupsSchema,
} from "./backup-record.ts";
import { type BackupTimes, isBackupDue, isBackupOverdue, OVERDUE_HOURS } from "./rules.ts";

/**
 * Starts a backup in a process of its own: it is written, verified and copied as in the night.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'backup-running'
 */
export async function startBackup(ctx: Context): Promise<void> {
  requireAdmin(ctx, "changes-shop");
  const runId = await claimRun(ctx, async (tx, { isRunning }) => {
    if (isRunning) throw new DomainError("backup-running");
    await recordAudit(ctx, tx, { action: "backup.started", subjectType: "store" });
    return true;
  });
  // The request does not wait for the end: the admin may leave the page.
  if (runId !== null) void runBackup({ ...ctx, actor: { kind: "system" } }, runId);
}

/**
 * Starts the nightly backup when it is due. Does not wait for its end: a backup may take longer than the time in which the shop has to stop.
 *
 * @throws DomainError forbidden
 */
export async function backUpWhenDue(ctx: Context): Promise<void> {
  requireSystem(ctx);
  if (!ctx.store.backups.isNightly) return;
  const isDue = (stored: StoredBackups) => isBackupDue(timesOf(stored), ctx.clock.now(), ctx.store.timeZone);
  const found = await selectBackups(ctx.db);
  if (found === null) return void (await claimRun(ctx, async () => false));
  if (isDue(found.stored)) {
    // Decided again under the lock, because another process may have started it.
    const runId = await claimRun(ctx, async (_, { stored, isRunning }) => !isRunning && isDue(stored));
    if (runId !== null) void runBackup(ctx, runId);
  }
}

/**
 * Makes a backup in this process, for an owner who runs the command by hand.
 *
 * @param run gets the id of the run, and records its end
 * @throws DomainError 'forbidden', 'backup-running', and what `run` throws
 */
export async function runOwnBackup(ctx: Context, run: (runId: string) => Promise<void>): Promise<void> {
  requireSystem(ctx);
  const runId = await claimRun(ctx, async (_, { isRunning }) => {
    if (isRunning) throw new DomainError("backup-running");
    return true;
  });
  if (runId !== null) await keepAlive(ctx, runOf(runId), () => run(runId));
}

/** For the command: records how far a run is, and what it has made. @throws DomainError forbidden */
export async function recordBackup(
  ctx: Context,
  runId: string,
  members: Partial<Pick<StoredBackups, "step" | "written" | "verified" | "copy" | "failure" | "outcome">>,
): Promise<void> {
  requireSystem(ctx);
  await updateCommandRun(ctx, runOf(runId), members);
}

/** What is recorded about the backups. The caller authorises. @returns null: nothing is */
export async function selectBackups(
  executor: Executor,
  options?: { isLocked: boolean },
): Promise<{ stored: StoredBackups; isRunning: boolean } | null> {
  const row = await selectCommandRun(executor, BACKUPS_KEY, options);
  const stored = storedBackupsSchema.safeParse(row?.value).data;
  if (row === null || stored === undefined) return null;
  return { stored, isRunning: stored.runId !== null && stored.outcome === null && row.isAlive };
}

/** Whether a verified backup is younger than 48 hours. */
export function hasRecentBackup(stored: StoredBackups | null, now: Date): boolean {
  if (stored === null || stored.verified === null) return false;
  return now.getTime() - Date.parse(stored.verified.at) <= OVERDUE_HOURS * HOUR;
}

/** The state of the backups, for the admin. @throws DomainError 'unauthenticated', 'forbidden' */
export async function readBackupHealth(ctx: Context): Promise<BackupHealth> {
  requireAdmin(ctx, "reads");
  const found = await selectBackups(ctx.db);
  const { isNightly, isEncrypted, folder, copiesTo } = ctx.store.backups;
  const {
    startedAt = null,
    step = "writing",
    verified = null,
    failure = null,
    copy = null,
  } = found?.stored ?? {};
  return {
    readAt: ctx.clock.now(),
    state: stateOf(found),
    startedAt,
    step,
    verified,
    failure,
    copy,
    isOverdue: isNightly && found !== null && isBackupOverdue(timesOf(found.stored), ctx.clock.now()),
    isNightly,
    isEncrypted,
    folder,
    copiesTo,
  };
}

function stateOf(found: Awaited<ReturnType<typeof selectBackups>>): BackupHealth["state"] {
  if (found === null || found.stored.runId === null) return null;
  return found.isRunning ? "running" : (found.stored.outcome ?? "interrupted");
}

/**
 * Claims a run, in any process: the row of the setting is locked meanwhile.
 *
 * @param isWanted decides; it may refuse
 * @returns the id of the run; null: it is not wanted
 */
async function claimRun(
  ctx: Context,
  isWanted: (tx: Transaction, latest: { stored: StoredBackups; isRunning: boolean }) => Promise<boolean>,
): Promise<string | null> {
  return inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now().toISOString();
    const first = storedBackupsSchema.parse({ since: now });
    await tx.insert(settings).values({ key: BACKUPS_KEY, value: first }).onConflictDoNothing();
    const found = await selectBackups(tx, { isLocked: true });
    // The setting is there but cannot be read: another version of the shop may have written it.
    if (found === null) await tx.update(settings).set({ value: first }).where(eq(settings.key, BACKUPS_KEY));
    changed(tx, settings);
    const latest = found ?? { stored: first, isRunning: false };
    if (!(await isWanted(tx, latest))) return null;
    const runId = uuidv7();
    // A run that was killed has not recorded its end.
    const isLost = latest.stored.runId !== null && latest.stored.outcome === null;
    const failure = isLost
      ? { at: latest.stored.startedAt ?? now, message: BACKUP_INTERRUPTED }
      : latest.stored.failure;
    const next: StoredBackups = {
      ...latest.stored,
      failure,
      runId,
      startedAt: now,
      step: "writing",
      outcome: null,
    };
    await tx
      .update(settings)
      .set({ value: next, updatedAt: sql`now()` })
      .where(eq(settings.key, BACKUPS_KEY));
    changed(tx, settings);
    return runId;
  });
}

const runOf = (runId: string): CommandRun => ({ key: BACKUPS_KEY, runId });

async function runBackup(ctx: Context, runId: string): Promise<void> {
  try {
    const code = await runCommand(ctx, runOf(runId), "backup", ["--nightly", `--run=${runId}`]);
    const isKilled = code >= 128;
    const failure = {
      at: ctx.clock.now().toISOString(),
      message: isKilled ? BACKUP_INTERRUPTED : BACKUP_STOPPED,
    };
    // What the command has recorded itself stays.
    await updateCommandRun(
      ctx,
      runOf(runId),
      { outcome: isKilled ? "interrupted" : "failed", failure },
      { unlessEnded: true },
    );
    changed(ctx.db, settings);
    const copy = (await selectBackups(ctx.db))?.stored.copy;
    if (copy?.kind === "failed")
      ctx.log.warn({ reason: copy.message }, "a backup was not copied to the S3 store");
  } catch (error) {
    ctx.log.error({ err: error }, "a backup could not be run to its end");
  }
}

export function timesOf({ since, startedAt, verified }: StoredBackups): BackupTimes {
  const dateOf = (time: string | null | undefined) => (time ? new Date(time) : null);
  return { since: new Date(since), startedAt: dateOf(startedAt), verifiedAt: dateOf(verified?.at) };
}
