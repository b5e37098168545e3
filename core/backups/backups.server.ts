import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin, requireSystem } from "../authorise.ts";
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
import {
  type CommandRun,
  claimRun,
  keepAlive,
  type LatestRun,
  runCommand,
  selectLatestRun,
  updateCommandRun,
} from "./command-runs.server.ts";
import { type BackupTimes, isBackupDue, isBackupOverdue, OVERDUE_HOURS } from "./rules.ts";

const BACKUPS = { key: BACKUPS_KEY, schema: storedBackupsSchema };

/**
 * Starts a backup in a process of its own: it is written, verified and copied as in the night.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'backup-running'
 */
export async function startBackup(ctx: Context): Promise<void> {
  requireAdmin(ctx, "changes-shop");
  const runId = await claimBackup(ctx, async (tx, { isRunning }) => {
    if (isRunning) throw new DomainError("backup-running");
    await recordAudit(ctx, tx, { action: "backup.started", subjectType: "store" });
    return true;
  });
  // The request does not wait for the end: the admin may leave the page.
  if (runId !== null) void runBackup({ ...ctx, actor: { kind: "system" } }, runId);
}

/**
 * Starts the nightly backup when it is due. Does not wait for its end: a backup may take longer than the time in which the shop
 * has to stop.
 *
 * @throws DomainError forbidden
 */
export async function backUpWhenDue(ctx: Context): Promise<void> {
  requireSystem(ctx);
  if (!ctx.store.backups.isNightly) return;
  const isDue = (stored: StoredBackups) => isBackupDue(timesOf(stored), ctx.clock.now(), ctx.store.timeZone);
  const found = await selectBackups(ctx.db);
  if (found === null) return void (await claimBackup(ctx, async () => false));
  if (isDue(found.stored)) {
    // Decided again under the lock, because another process may have started it.
    const runId = await claimBackup(ctx, async (_, { stored, isRunning }) => !isRunning && isDue(stored));
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
  const runId = await claimBackup(ctx, async (_, { isRunning }) => {
    if (isRunning) throw new DomainError("backup-running");
    return true;
  });
  if (runId !== null) await keepAlive(ctx, runOf(runId), () => run(runId));
}

/** For the command: records how far a run is, and what it has made. @throws DomainError forbidden */
export async function recordBackup(
  ctx: Context,
  runId: string,
  members: Partial<Pick<StoredBackups, "step" | "verified" | "copy" | "failure" | "outcome">>,
): Promise<void> {
  requireSystem(ctx);
  await updateCommandRun(ctx, runOf(runId), members);
}

/** What is recorded about the backups. @returns null: nothing is */
export function selectBackups(
  executor: Executor,
  options?: { isLocked: boolean },
): Promise<LatestRun<StoredBackups> | null> {
  return selectLatestRun(executor, BACKUPS, options);
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

function stateOf(found: LatestRun<StoredBackups> | null): BackupHealth["state"] {
  if (found === null || found.stored.runId === null) return null;
  return found.isRunning ? "running" : (found.stored.outcome ?? "interrupted");
}

/**
 * Claims a backup, in any process.
 *
 * @param isWanted decides; it may refuse
 * @returns the id of the run; null: it is not wanted
 */
async function claimBackup(
  ctx: AuthorisedContext,
  isWanted: (tx: Transaction, latest: LatestRun<StoredBackups>) => Promise<boolean>,
): Promise<string | null> {
  return claimRun<StoredBackups, string | null>(ctx, BACKUPS, async (tx, found) => {
    const now = ctx.clock.now().toISOString();
    const latest = found ?? { stored: storedBackupsSchema.parse({ since: now }), isRunning: false };
    const { stored } = latest;
    if (!(await isWanted(tx, latest))) return { next: found === null ? stored : null, result: null };
    const runId = uuidv7();
    // A command that was killed has recorded nothing about its end.
    const isLost = stored.runId !== null && stored.outcome === null;
    const failure = isLost ? { at: stored.startedAt ?? now, message: BACKUP_INTERRUPTED } : stored.failure;
    const next: StoredBackups = { ...stored, failure, runId, startedAt: now, step: "writing", outcome: null };
    return { next, result: runId };
  });
}

const runOf = (runId: string): CommandRun => ({ key: BACKUPS_KEY, runId });

function runBackup(ctx: AuthorisedContext, runId: string): Promise<void> {
  return runCommand(ctx, runOf(runId), {
    name: "backup",
    args: ["--nightly", `--run=${runId}`],
    unrecordedEnd: (isKilled) => ({
      outcome: isKilled ? "interrupted" : "failed",
      failure: {
        at: ctx.clock.now().toISOString(),
        message: isKilled ? BACKUP_INTERRUPTED : BACKUP_STOPPED,
      },
    }),
    onEnd: async () => {
      const copy = (await selectBackups(ctx.db))?.stored.copy;
      if (copy?.kind === "failed")
        ctx.log.warn({ reason: copy.message }, "a backup was not copied to the S3 store");
    },
  });
}

export function timesOf({ since, startedAt, verified }: StoredBackups): BackupTimes {
  const dateOf = (time: string | null | undefined) => (time ? new Date(time) : null);
  return { since: new Date(since), startedAt: dateOf(startedAt), verifiedAt: dateOf(verified?.at) };
}
