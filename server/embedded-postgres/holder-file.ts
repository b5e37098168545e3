import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isRunning, startMark } from "./processes.ts";
import { HeldError } from "./startup-error.ts";

const holderSchema = z.object({ pid: z.int().positive(), mark: z.string(), since: z.iso.datetime() });

export type Holder = z.infer<typeof holderSchema>;

/** The live process that has the folder, if any. Reads only. */
export function findHolder(folder: string): Holder | undefined {
  const holder = readHolder(folder, newestGeneration(folder));
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

/** The refusal for a folder that another process has. */
export function heldBy(dataDir: string, pid: number | string, since: string): HeldError {
  return new HeldError(
    `The data in ${dataDir} is in use by process ${pid} since ${since}: stop that one first, or set DATA_DIR to another folder.`,
  );
}

/**
 * Makes this process the one that may start the folder's database.
 *
 * Each taking makes the file of the next generation by link(2), which is atomic and brings the content
 * with it; the newest file names the holder. Files of dead holders are never taken away before a newer
 * one exists, so two processes that find the same dead holder want the same name and one of them loses.
 * A plain lock file cannot do that: the slower one would remove the winner's file as if it were stale.
 *
 * @returns gives the folder back
 * @throws HeldError when a live process, this one included, has it
 */
export function takeHolderFile(folder: string, dataDir: string): () => void {
  const draft = join(folder, `holder.draft-${process.pid}-${crypto.randomUUID()}`);
  const refuseIfHeld = () => {
    const holder = findHolder(folder);
    if (holder !== undefined) throw heldBy(dataDir, holder.pid, holder.since);
  };
  refuseIfHeld();
  const me: Holder = { pid: process.pid, mark: startMark(process.pid), since: new Date().toISOString() };
  writeFileSync(draft, JSON.stringify(me), { mode: 0o644 });
  try {
    for (;;) {
      const generation = newestGeneration(folder) + 1;
      refuseIfHeld();
      if (!claim(folder, draft, generation)) continue;
      sweep(folder, generation);
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
  // The number may have been free only because a later holder has swept it away.
  if (newestGeneration(folder) === generation) return true;
  rmSync(fileOf(folder, generation), { force: true });
  return false;
}

function sweep(folder: string, generation: number): void {
  for (const older of generations(folder)) {
    if (older < generation) rmSync(fileOf(folder, older), { force: true });
  }
  for (const entry of readdirSync(folder)) {
    const pid = /^holder\.draft-(\d+)-/.exec(entry)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

/** Keeps the file, emptied, so that the generations only ever grow. */
function release(folder: string, generation: number): void {
  const draft = join(folder, `holder.draft-${process.pid}-${crypto.randomUUID()}`);
  try {
    writeFileSync(draft, "");
    renameSync(draft, fileOf(folder, generation));
  } catch {
    // On a full disk the file stays; it counts for nothing once this process has ended.
    rmSync(draft, { force: true });
  }
}

function isAlive(holder: Holder): boolean {
  if (!isRunning(holder.pid)) return false;
  const mark = startMark(holder.pid);
  return mark === "" || holder.mark === "" || mark === holder.mark;
}

function readHolder(folder: string, generation: number): Holder | undefined {
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
