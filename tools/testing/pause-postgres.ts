import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { z } from "zod";

const backendRows = z.tuple([z.object({ pid: z.int() })]);

/**
 * Stops every process of the Postgres server at `url` with SIGSTOP: connections stay open and get no answer. Linux
 * only, for a server on this machine.
 *
 * @returns a function that continues the processes; it can be called more than once
 */
export async function pausePostgres(url: string): Promise<() => void> {
  const processes = await serverProcesses(url);
  for (const pid of processes) send(pid, "SIGSTOP");
  return () => {
    for (const pid of processes) send(pid, "SIGCONT");
  };
}

async function serverProcesses(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const postmaster = parentOf(backendRows.parse(rows)[0].pid);
    if (postmaster === undefined) throw new Error("the database server runs on another machine");
    const children = readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry) && parentOf(Number(entry)) === postmaster)
      .map(Number);
    // The postmaster first: it would start new processes.
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
