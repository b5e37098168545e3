import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isRunning, processStartMark } from "./processes.ts";
import { DataDirInUseError } from "./startup-error.ts";

const holderSchema = z.object({ pid: z.int().positive(), mark: z.string(), since: z.iso.datetime() });

export type LockHolder = z.infer<typeof holderSchema>;

/** Returns the running process that holds the folder's lock, if any. Changes nothing. */
export function findLockHolder(folder: string): LockHolder | undefined {
  const holder = readHolder(folder, newestGeneration(folder));
  return holder !== undefined && isHolderRunning(holder) ? holder : undefined;
}

/** The error for a DATA_DIR that another process uses. */
export function dataDirInUse(dataDir: string, pid: number | string, since: string): DataDirInUseError {
  return new DataDirInUseError(
    `The data in ${dataDir} is in use by process ${pid} since ${since}: stop that one first, or set DATA_DIR to another folder.`,
  );
}

/**
 * Acquires the lock that lets a process start the folder's database.
 *
 * Each acquisition creates the file of the next generation by link(2), which is atomic and includes the content. The newest
 * file names the holder. The file of an ended holder is removed only after a newer one exists, so two processes that find
 * the same ended holder try to create the same file, and one of them fails. With a single lock file the slower process
 * would remove the file of the faster one as stale.
 *
 * @returns releases the lock
 * @throws DataDirInUseError when a running process, this one included, holds the lock
 */
export function acquireLockFile(folder: string, dataDir: string): () => void {
  const draft = join(folder, `holder.draft-${process.pid}-${crypto.randomUUID()}`);
  const refuseIfHeld = () => {
    const holder = findLockHolder(folder);
    if (holder !== undefined) throw dataDirInUse(dataDir, holder.pid, holder.since);
  };
  refuseIfHeld();
  const self: LockHolder = {
    pid: process.pid,
    mark: processStartMark(process.pid),
    since: new Date().toISOString(),
  };
  writeFileSync(draft, JSON.stringify(self), { mode: 0o644 });
  try {
    for (;;) {
      const generation = newestGeneration(folder) + 1;
      refuseIfHeld();
      if (!claim(folder, draft, generation)) continue;
      removeOldFiles(folder, generation);
      return () => release(folder, generation);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function claim(folder: string, draft: string, generation: number): boolean {
  try {
    linkSync(draft, fileOf(folder, generation));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  // A later holder may have removed the file of this generation.
  if (newestGeneration(folder) === generation) return true;
  rmSync(fileOf(folder, generation), { force: true });
  return false;
}

function removeOldFiles(folder: string, generation: number): void {
  for (const older of generations(folder)) {
    if (older < generation) rmSync(fileOf(folder, older), { force: true });
  }
  for (const entry of readdirSync(folder)) {
    const pid = /^holder\.draft-(\d+)-/.exec(entry)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

/** Empties the file and keeps it, so that the generations only grow. */
function release(folder: string, generation: number): void {
  const draft = join(folder, `holder.draft-${process.pid}-${crypto.randomUUID()}`);
  try {
    writeFileSync(draft, "");
    renameSync(draft, fileOf(folder, generation));
  } catch {
    // On a full disk the file stays. It is ignored once this process has ended.
    rmSync(draft, { force: true });
  }
}

function isHolderRunning(holder: LockHolder): boolean {
  if (!isRunning(holder.pid)) return false;
  const mark = processStartMark(holder.pid);
  return mark === "" || holder.mark === "" || mark === holder.mark;
}

function readHolder(folder: string, generation: number): LockHolder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(fileOf(folder, generation), "utf8")));
  } catch {
    return undefined;
  }
}

function newestGeneration(folder: string): number {
  return Math.max(0, ...generations(folder));
}

function generations(folder: string): number[] {
  let entries: string[];
  try {
    entries = readdirSync(folder);
  } catch {
    return [];
  }
  return entries.flatMap((entry) => /^holder\.(\d+)\.json$/.exec(entry)?.[1] ?? []).map(Number);
}

function fileOf(folder: string, generation: number): string {
  return join(folder, `holder.${generation}.json`);
}
