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
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Binaries, programOf } from "./binaries.ts";
import { databaseProcessesIn, isRunning, workingFolder } from "./processes.ts";
import { type Account, runProgram } from "./run-program.ts";
import { explainText, StartupError } from "./startup-error.ts";

/** A cluster, the programs for it and who runs them. */
export type ClusterPlace = {
  /** Holds the cluster, its log and what is being made. */
  readonly home: string;
  /** The cluster itself: home/<major>. */
  readonly cluster: string;
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

/** The cluster's running server process and its port; undefined when none runs. */
export function findPostmaster(cluster: string): { pid: number; port: number } | undefined {
  const recorded = recordedPostmaster(cluster);
  return recorded !== undefined && isPostmasterOf(cluster, recorded.pid) ? recorded : undefined;
}

/**
 * Starts the server on loopback and returns when it takes connections.
 * @throws StartupError
 */
export async function startPostmaster(place: ClusterPlace): Promise<void> {
  await clearRemains(place.cluster);
  const logStart = openLog(place);
  const args = ["-D", place.cluster, "-l", place.logFile, "-w", "-t", String(START_TIMEOUT_S), "-s", "start"];
  const { code, output } = await runProgram(programOf(place.binaries, "pg_ctl"), args, place.account);
  if (code === 0) return;
  const said = `${output}\n${readFrom(place.logFile, logStart)}`;
  throw new StartupError(explainText(said, place.home));
}

/**
 * Stops the server: first so that running transactions end at once and all is written, and if that takes
 * too long by force, which costs a recovery at the next start but no committed row.
 */
export async function stopPostmaster(place: ClusterPlace): Promise<void> {
  const stops = [
    ["fast", FAST_STOP_TIMEOUT_S],
    ["immediate", IMMEDIATE_STOP_TIMEOUT_S],
  ] as const;
  for (const [mode, seconds] of stops) {
    if (findPostmaster(place.cluster) === undefined) break;
    const args = ["-D", place.cluster, "-m", mode, "-w", "-t", String(seconds), "-s", "stop"];
    await runProgram(programOf(place.binaries, "pg_ctl"), args, place.account);
  }
  const postmaster = findPostmaster(place.cluster);
  if (postmaster !== undefined) kill(postmaster.pid);
  await clearRemains(place.cluster);
}

/**
 * After a kill -9 the server's children live on for a moment, and its pid file stays. Postgres refuses to
 * start while another process has the recorded id, also when that is a stranger who got it later or a dead
 * process nobody collected, so the file goes once no process of this cluster is left.
 */
async function clearRemains(cluster: string): Promise<void> {
  const deadline = Date.now() + LEFTOVERS_TIMEOUT_MS;
  while (findPostmaster(cluster) === undefined) {
    const leftovers = databaseProcessesIn(cluster);
    if (leftovers === undefined) return;
    if (leftovers.length === 0) {
      rmSync(join(cluster, "postmaster.pid"), { force: true });
      return;
    }
    if (Date.now() > deadline + LEFTOVERS_TIMEOUT_MS) {
      throw new StartupError(
        `Process ${leftovers[0]} of a killed database does not end: restart this machine.`,
      );
    }
    if (Date.now() > deadline) leftovers.map(kill);
    await delay(50);
  }
}

function recordedPostmaster(cluster: string): { pid: number; port: number } | undefined {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return Number.isInteger(pid) && pid > 0 ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

function isPostmasterOf(cluster: string, pid: number): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== "linux") return true;
  return workingFolder(pid) === cluster;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone in the meantime, which is what was wanted.
  }
}

/** @returns the length of the log so far, to tell what this start adds */
function openLog({ logFile, account }: ClusterPlace): number {
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
