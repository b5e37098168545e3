import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Binaries, programOf } from "./binaries.ts";
import { type Account, databaseProcessesIn, isRunning, runProgram, workingFolder } from "./processes.ts";
import { explainText, StartupError } from "./startup-error.ts";

/** A database cluster, the programs that run it and the account they run as. */
export type Cluster = {
  /** Holds the cluster's folder, its log and unfinished files. */
  readonly home: string;
  /** The data directory of Postgres: home/<major>. */
  readonly folder: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
};

const LOG_LIMIT_BYTES = 5 * 1024 * 1024;
// Recovery after a crash replays at most max_wal_size; minutes only on a very slow disk.
const START_TIMEOUT_S = 300;
const FAST_STOP_TIMEOUT_S = 30;
const IMMEDIATE_STOP_TIMEOUT_S = 10;
const LEFTOVERS_TIMEOUT_MS = 10_000;

/** Returns the cluster's server process and its port; undefined when it does not run. */
export function findPostmaster(folder: string): { pid: number; port: number } | undefined {
  const recorded = readPidFile(folder);
  return recorded !== undefined && isPostmasterOf(folder, recorded.pid) ? recorded : undefined;
}

/**
 * Starts the server on loopback and returns when it accepts connections.
 * @throws StartupError
 */
export async function startPostmaster(cluster: Cluster): Promise<void> {
  await removeStalePidFile(cluster.folder);
  const logStart = openLog(cluster);
  // pg_ctl passes both to a shell, which would replace a $ in them. So they are named from the folder above.
  const args = [
    "-D",
    relative(cluster.home, cluster.folder),
    "-l",
    relative(cluster.home, cluster.logFile),
    "-w",
    "-t",
    String(START_TIMEOUT_S),
    "-s",
    "start",
  ];
  const { code, output } = await runProgram(
    programOf(cluster.binaries, "pg_ctl"),
    args,
    cluster.account,
    cluster.home,
  );
  if (code === 0) return;
  const messages = `${output}\n${readFrom(cluster.logFile, logStart)}`;
  throw explainText(messages, cluster.home);
}

/**
 * Stops the server. A fast stop ends running transactions and writes everything. When that takes too long, the server is
 * stopped by force: the next start then needs a recovery, and no committed row is lost.
 */
export async function stopPostmaster(cluster: Cluster): Promise<void> {
  // A process that was paused with SIGSTOP reacts to no request, and would outlive even its killed postmaster.
  for (const pid of databaseProcessesIn(cluster.folder) ?? []) send(pid, "SIGCONT");
  const stops = [
    ["fast", FAST_STOP_TIMEOUT_S],
    ["immediate", IMMEDIATE_STOP_TIMEOUT_S],
  ] as const;
  for (const [mode, seconds] of stops) {
    if (findPostmaster(cluster.folder) === undefined) break;
    const args = ["-D", cluster.folder, "-m", mode, "-w", "-t", String(seconds), "-s", "stop"];
    await runProgram(programOf(cluster.binaries, "pg_ctl"), args, cluster.account);
  }
  const postmaster = findPostmaster(cluster.folder);
  if (postmaster !== undefined) {
    send(postmaster.pid, "SIGKILL");
    await waitForEnd(postmaster.pid);
  }
  await removeStalePidFile(cluster.folder);
}

/**
 * Removes the pid file of a killed server, once no process of the cluster is left: its children outlive it for a moment.
 * Postgres refuses to start while any process has the recorded id, even an unrelated one that got it later or a zombie.
 */
async function removeStalePidFile(folder: string): Promise<void> {
  const deadline = Date.now() + LEFTOVERS_TIMEOUT_MS;
  while (findPostmaster(folder) === undefined) {
    const leftovers = databaseProcessesIn(folder);
    if (leftovers === undefined) return;
    if (leftovers.length === 0) {
      rmSync(join(folder, "postmaster.pid"), { force: true });
      return;
    }
    if (Date.now() > deadline + LEFTOVERS_TIMEOUT_MS) {
      throw new StartupError(
        `Process ${leftovers[0]} of a killed database does not end: restart this machine.`,
      );
    }
    if (Date.now() > deadline) for (const pid of leftovers) send(pid, "SIGKILL");
    await delay(50);
  }
}

function readPidFile(folder: string): { pid: number; port: number } | undefined {
  try {
    const lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return Number.isInteger(pid) && pid > 0 ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

function isPostmasterOf(folder: string, pid: number): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== "linux") return true;
  return workingFolder(pid) === folder;
}

/** A killed process ends a moment later. As long as it runs, it does not count as a killed server. */
async function waitForEnd(pid: number): Promise<void> {
  const deadline = Date.now() + LEFTOVERS_TIMEOUT_MS;
  while (isRunning(pid) && Date.now() < deadline) await delay(50);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

/** @returns the length of the log so far; what this start adds comes after it */
function openLog({ logFile, account }: Cluster): number {
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
  closeSync(openSync(logFile, "a", 0o600));
  if (account !== undefined) chownSync(logFile, account.uid, account.gid);
  chmodSync(logFile, 0o600);
  return statSync(logFile).size;
}

function readFrom(file: string, start: number): string {
  const end = statSync(file).size;
  const buffer = Buffer.alloc(Math.min(end - start, 64 * 1024));
  const descriptor = openSync(file, "r");
  try {
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, buffer.length, end - buffer.length));
  } finally {
    closeSync(descriptor);
  }
}
