import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Whether a process runs. A killed process that its parent has not collected yet still answers
 * signals but runs nothing, so it counts as gone.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to someone else.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const state = linuxStat(pid)?.state;
  return state !== "Z" && state !== "X";
}

/**
 * A text that differs between two processes that got the same id one after the other: boot and start
 * time. Empty where the system does not tell; then the id alone has to do.
 */
export function startMark(pid: number): string {
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
 * Database processes that work in a folder. Every process of a Postgres cluster has the cluster as its working
 * folder, also those that outlive a killed postmaster for a moment. Undefined where /proc is missing.
 */
export function databaseProcessesIn(folder: string): number[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => workingFolder(pid) === folder && isDatabase(pid) && isRunning(pid));
}

/** Undefined when the process is gone, or not ours to look at. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

// A person's shell may stand in the folder too.
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
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
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
