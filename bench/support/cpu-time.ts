import { readFileSync } from "node:fs";
import type pg from "pg";

const TICK_MS = 10;

/** CPU time of each named group of processes so far, in milliseconds. Linux only. */
export type CpuTimes = Record<string, number>;

/** Ended processes do not count. */
export function readCpuTimes(groups: Record<string, readonly number[]>): CpuTimes {
  return Object.fromEntries(
    Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + cpuTimeOf(pid), 0)]),
  );
}

/**
 * Measures the CPU time of groups of processes, and of the Postgres server, from now on.
 *
 * @returns a function that ends the measurement: the time per item of work
 */
export async function startCpuMeasurement(
  postgres: pg.Client,
  groups: Record<string, readonly number[]>,
): Promise<(items: number) => CpuTimes> {
  const all = { ...groups, postgres: await listPostgresProcesses(postgres) };
  const before = readCpuTimes(all);
  return (items) => perItem(before, readCpuTimes(all), items);
}

/** The current processes of a Postgres server. */
async function listPostgresProcesses(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
  return rows.map(({ pid }) => pid);
}

/** CPU time used between two readings, per item of work. */
function perItem(before: CpuTimes, after: CpuTimes, items: number): CpuTimes {
  const used = ([name, time]: [string, number]) => [name, (time - (before[name] ?? 0)) / items];
  return Object.fromEntries(Object.entries(after).map(used));
}

export function formatCpuTimes(cpuMs: CpuTimes): string {
  const parts = Object.entries(cpuMs).map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  return `CPU ms each: ${parts.join(", ")}`;
}

function cpuTimeOf(pid: number): number {
  try {
    // After the name in parentheses, user and system time are the 12th and 13th field.
    const [user = 0, system = 0] = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "")
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user + system) * TICK_MS;
  } catch {
    return 0;
  }
}
