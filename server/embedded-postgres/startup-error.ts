import { statfsSync } from "node:fs";

/** Why the database cannot run, in one sentence for the person who started the shop. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}

/** Another running process uses this DATA_DIR. The message names it and says since when. */
export class DataDirInUseError extends StartupError {
  override readonly name = "DataDirInUseError";
}

/** A backup has to be restored; `adviseRestore` in server/start/list-backups.ts names it. */
export class DamagedDatabaseError extends StartupError {
  override readonly name = "DamagedDatabaseError";
}

const DISK_FULL = /No space left on device|Check free disk space|Disk quota exceeded|ENOSPC|EDQUOT/;

/** What PostgreSQL says without its control file or its write-ahead log. */
const DAMAGED =
  /global\/pg_control|could not locate a valid checkpoint|could not locate required checkpoint|invalid (?:primary )?checkpoint|could not open directory "pg_wal"|required WAL directory/;

// With less free space Postgres cannot write its lock file or its log, so it fails without giving a reason.
const MINIMUM_FREE_BYTES = 512 * 1024;

/**
 * Turns any failure into one sentence.
 *
 * @param folder the folder that the failed work used
 */
export function explainFailure(error: unknown, folder: string): StartupError {
  if (error instanceof StartupError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  const reason = explainCode(code, folder);
  return reason === undefined
    ? explainText(`${message} ${code}`, folder, error)
    : new StartupError(`DATA_DIR cannot be used: ${reason}`, { cause: error });
}

/** A sentence for the owner when a cause of the error is a file or folder that cannot be used; null: none is. */
export function explainFileFault(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const { code = "", path, syscall }: NodeJS.ErrnoException = at;
    // A system without watches left reports a full disk too.
    if (DISK_FULL.test(code) && syscall !== "watch") return diskFull(path ?? "the files of the shop");
    // Node reports so that it cannot make a folder on a disk that is mounted read only.
    const isReadOnly = code === "ENOENT" && syscall === "mkdir";
    const sentence = path === undefined ? undefined : explainCode(isReadOnly ? "EROFS" : code, path);
    if (sentence !== undefined) return sentence;
  }
  return null;
}

/** The sentence for the output of initdb or pg_ctl, or for the database's log. */
export function explainText(text: string, folder: string, cause?: unknown): StartupError {
  if (DISK_FULL.test(text) || !hasFreeSpace(folder)) return new StartupError(diskFull(folder), { cause });
  if (DAMAGED.test(text))
    return new DamagedDatabaseError(
      `The files of the embedded database in ${folder} are damaged or missing. Move the folder pg in DATA_DIR away, then restore a backup.`,
      { cause },
    );
  const lines = text.split("\n").map((line) => line.trim());
  const lastReason =
    lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ??
    lines.findLast((line) => /\berror\b/i.test(line)) ??
    lines.findLast((line) => line !== "") ??
    "it gave no reason";
  const reason = lastReason
    .replace(/^.*?\b(FATAL|PANIC|initdb: error|pg_ctl: error):\s*/, "")
    .replace(/\.$/, "");
  return new StartupError(`The embedded database in ${folder} could not be started: ${reason}.`, { cause });
}

function explainCode(code: string, folder: string): string | undefined {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `${folder} is closed to this user (${code}); allow it or choose another folder.`;
    case "EROFS":
      return `${folder} is on a disk that is mounted read only; mount it for writing or choose another folder.`;
    case "ENOTDIR":
    case "EEXIST":
      return `${folder}, or a folder above it, is a file, not a folder.`;
    default:
      return undefined;
  }
}

function diskFull(folder: string): string {
  return `The disk that holds ${folder} is full: free some space and start again.`;
}

function hasFreeSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > MINIMUM_FREE_BYTES;
  } catch {
    return true;
  }
}
