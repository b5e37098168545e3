import { execFileSync } from "node:child_process";
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { isRunning, processNamespace, processStartMark } from "./processes.ts";
import { DataDirInUseError } from "./startup-error.ts";

const holderSchema = z.object({
  pid: z.int().positive(),
  mark: z.string(),
  since: z.iso.datetime(),
  /** Where the pid counts: another container has other processes. */
  namespace: z.string().optional(),
  /** The name of a socket in the folder. It answers as long as the holder runs, also to another container. */
  socket: z.string().optional(),
});

export type LockHolder = z.infer<typeof holderSchema>;

/** Returns the running process that holds the folder's lock, if any. Changes nothing. */
export function findLockHolder(folder: string): LockHolder | undefined {
  const holder = readHolder(folder, newestGeneration(folder));
  return holder !== undefined && isHolderRunning(folder, holder) ? holder : undefined;
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
  const { socket, close } = openSocket(folder);
  const self: LockHolder = {
    pid: process.pid,
    mark: processStartMark(process.pid),
    since: new Date().toISOString(),
    namespace: processNamespace(),
    ...(socket !== undefined && { socket }),
  };
  try {
    writeFileSync(draft, JSON.stringify(self), { mode: 0o644 });
    for (;;) {
      const generation = newestGeneration(folder) + 1;
      refuseIfHeld();
      if (!claim(folder, draft, generation)) continue;
      removeOldFiles(folder, generation);
      return () => {
        release(folder, generation);
        close();
      };
    }
  } catch (error) {
    close();
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The system truncates longer addresses of sockets. */
const MAX_SOCKET_BYTES = 100;

/** Listens before the lock is acquired. The kernel accepts connections even while this process is busy or paused. */
function openSocket(folder: string): { socket: string | undefined; close: () => void } {
  const socket = `holder.${crypto.randomUUID().slice(0, 8)}.sock`;
  const path = join(folder, socket);
  if (process.platform !== "linux" || Buffer.byteLength(path) > MAX_SOCKET_BYTES)
    return { socket: undefined, close: () => undefined };
  const server = createServer((connection) => connection.destroy());
  // On a file system without sockets, only processes of the same container are seen.
  server.on("error", () => undefined);
  server.listen({ path, exclusive: true }).unref();
  return { socket: server.listening ? socket : undefined, close: () => server.close() };
}

const CONNECT = `require("node:net").connect(process.argv[1]).on("connect", () => process.exit(0))
  .on("error", ({ code }) => process.exit(["ECONNREFUSED", "ENOENT"].includes(code) ? 1 : 2))`;
const CONNECT_LIMIT_MS = 5_000;

/** False only when it is certain that nobody listens. */
function isAnswered(path: string): boolean {
  try {
    execFileSync(process.execPath, ["-e", CONNECT, path], { stdio: "ignore", timeout: CONNECT_LIMIT_MS });
    return true;
  } catch (error) {
    return !(error instanceof Error && "status" in error && error.status === 1);
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
    if (older >= generation) continue;
    const socket = readHolder(folder, older)?.socket;
    rmSync(fileOf(folder, older), { force: true });
    if (socket !== undefined) rmSync(join(folder, socket), { force: true });
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

function isHolderRunning(folder: string, holder: LockHolder): boolean {
  if (holder.namespace !== undefined && holder.namespace !== processNamespace())
    return holder.socket !== undefined && isAnswered(join(folder, holder.socket));
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
