import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { z } from "zod";

const backendRows = z.tuple([z.object({ pid: z.int() })]);

/**
 * Stops every process of the Postgres server at `url` with SIGSTOP: connections stay open and get no answer. Linux
 * only, for a server on this machine. When the test is killed, the server continues and then ends.
 *
 * @returns a function that continues the processes; it can be called more than once
 */
export async function pausePostgres(url: string): Promise<() => void> {
  return pauseProcesses(await serverProcesses(url));
}

/** The same for the given processes of a server, its postmaster first. */
export function pauseProcesses(processes: readonly number[]): () => void {
  const dismissGuard = startGuard(processes);
  for (const pid of processes) send(pid, "SIGSTOP");
  return () => {
    for (const pid of processes) send(pid, "SIGCONT");
    dismissGuard();
  };
}

/**
 * Starts a process that outlives this one. The hooks of a killed test do not run, and a stopped server ends by nothing
 * but SIGKILL. The guard reads until its input ends, which is when this process ends in any way. Then it continues the
 * server and asks it to end, because nobody else may be left who would.
 */
function startGuard(processes: readonly number[]): () => void {
  const program = 'read -r _; kill -CONT "$@"; kill -INT "$1"';
  // A group of its own: an interrupted run is ended as a group.
  const guard = spawn("sh", ["-c", program, "sh", ...processes.map(String)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  return () => guard.kill("SIGKILL");
}

async function serverProcesses(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const postmaster = parentOf(backendRows.parse(rows)[0].pid);
    if (postmaster === undefined) throw new Error("the database server runs on another machine");
    // Stopped before the others are listed: it would start new processes.
    send(postmaster, "SIGSTOP");
    const children = readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry) && parentOf(Number(entry)) === postmaster)
      .map(Number);
    return [postmaster, ...children];
  } finally {
    await client.end();
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
