import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Whether a process runs. A zombie (a killed process that its parent has not collected) still accepts signals and counts
 * as ended.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const state = linuxStat(pid)?.state;
  return state !== "Z" && state !== "X";
}

/**
 * The boot and the start time of a process as a text. It tells two processes apart that had the same id one after the
 * other. Empty where the system does not report them.
 */
export function processStartMark(pid: number): string {
  if (process.platform === "linux") {
    const stat = linuxStat(pid);
    return stat === undefined ? "" : `${bootId()}/${stat.startedAt}`;
  }
  if (process.platform === "win32") return "";
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

/**
 * What tells the processes of this container apart from the processes of another container. Empty where the system has no such
 * thing.
 */
export function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * The database processes of a cluster. Each of them has the cluster's folder as its working folder, including those that
 * outlive a killed postmaster for a moment. Undefined where /proc is missing.
 */
export function databaseProcessesIn(folder: string): number[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => workingFolder(pid) === folder && isDatabase(pid) && isRunning(pid));
}

/** Undefined when the process has ended, or when we may not read it. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

// Somebody's shell may have the same working folder.
function isDatabase(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").startsWith("postgres");
  } catch {
    return false;
  }
}

function linuxStat(pid: number): { state: string; startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets; the name may itself contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}

/** The system user that a database program runs as; undefined means our own user. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

// Our own environment is not passed on: PGDATA, PGPORT, LD_PRELOAD or a locale would change what the program does, and a
// secret in it could be read from /proc.
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a program to its end in a session of its own, so that a Ctrl-C in our terminal does not interrupt it.
 *
 * @param folder in which it runs
 * @returns the exit code and the output; the code is null when a signal ended the program
 */
export function runProgram(
  file: string,
  args: readonly string[],
  account: Account | undefined,
  folder = "/",
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
    const child = spawn(file, args, {
      ...identity,
      cwd: folder,
      env: ENVIRONMENT,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
