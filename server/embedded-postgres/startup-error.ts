import { statfsSync } from "node:fs";

/** Why the database cannot run, in one sentence for the person who started the shop. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}

/** Another running process has this DATA_DIR; the message says which one and since when. */
export class HeldError extends StartupError {
  override readonly name = "HeldError";
}

const DISK_FULL = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;

// Postgres cannot even write its lock file or its log below this, so it fails without saying why.
const NO_ROOM_BYTES = 512 * 1024;

/**
 * Turns any failure into one sentence.
 * @param folder the folder that was being worked on
 */
export function explainFailure(error: unknown, folder: string): StartupError {
  if (error instanceof StartupError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  const sentence = explainCode(code, folder) ?? explainText(`${message} ${code}`, folder);
  return new StartupError(sentence, { cause: error });
}

/** The sentence for what initdb, pg_ctl or the database's log said. */
export function explainText(text: string, folder: string): string {
  if (DISK_FULL.test(text) || !hasRoom(folder)) return diskFull(folder);
  const lines = text.split("\n").map((line) => line.trim());
  const telling =
    lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ??
    lines.findLast((line) => /\berror\b/i.test(line)) ??
    lines.findLast((line) => line !== "") ??
    "it gave no reason";
  const reason = telling
    .replace(/^.*?\b(FATAL|PANIC|initdb: error|pg_ctl: error):\s*/, "")
    .replace(/\.$/, "");
  return `The embedded database in ${folder} could not be started: ${reason}.`;
}

function explainCode(code: string, folder: string): string | undefined {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(folder);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `DATA_DIR cannot be used: ${folder} is not writable for this user (${code}); allow it or choose another folder.`;
    case "ENOTDIR":
    case "EEXIST":
      return `DATA_DIR cannot be used: a part of ${folder} is a file, not a folder.`;
    default:
      return undefined;
  }
}

function diskFull(folder: string): string {
  return `The disk that holds ${folder} is full: free some space and start again.`;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > NO_ROOM_BYTES;
  } catch {
    return true;
  }
}
