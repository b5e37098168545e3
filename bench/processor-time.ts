import { readFileSync } from "node:fs";
import type pg from "pg";

const TICK_MS = 10;

/** Processor time that each named group of processes has used so far, in milliseconds; Linux only. */
export type ProcessorTimes = Record<string, number>;

/** Processes that have ended do not count. */
export function readProcessorTimes(groups: Record<string, readonly number[]>): ProcessorTimes {
  return Object.fromEntries(
    Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + timeOf(pid), 0)]),
  );
}

/** All processes of a Postgres server that are there now. */
export async function postgresProcesses(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
  return rows.map(({ pid }) => pid);
}

/** What was used in between, for each of so many pieces of work. */
export function perPiece(before: ProcessorTimes, after: ProcessorTimes, pieces: number): ProcessorTimes {
  const used = ([name, time]: [string, number]) => [name, (time - (before[name] ?? 0)) / pieces];
  return Object.fromEntries(Object.entries(after).map(used));
}

export function cpuWords(cpuMs: ProcessorTimes): string {
  const parts = Object.entries(cpuMs).map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  return `processor ms each: ${parts.join(", ")}`;
}

function timeOf(pid: number): number {
  try {
    // Behind the name, which may hold spaces, come state and so on; user and system time are the 12th and 13th.
    const [user = 0, system = 0] = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "")
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user + system) * TICK_MS;
  } catch {
    return 0;
  }
}
