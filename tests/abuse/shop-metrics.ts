import { readFileSync } from "node:fs";
import type { Target } from "./attacks.ts";

/** The values at /metrics by series with labels, such as `daypass_database_connections{state="busy"}`. */
export async function readMetrics(url: string, token: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`/metrics responds with ${response.status}`);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** Memory of JavaScript heap and buffers, in MiB. Resident memory also includes freed pages. */
export function heapAndBuffersMiB(metrics: ReadonlyMap<string, number>): number {
  const heap = metrics.get("nodejs_heap_size_used_bytes") ?? Number.NaN;
  const external = metrics.get("nodejs_external_memory_bytes") ?? Number.NaN;
  return (heap + external) / 1024 / 1024;
}

/** Connections that the shop has accepted and not closed, as counted by the system. */
export function countAcceptedConnections({ port }: Target): number {
  const own = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  const established = "01";
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", , state]) => `${local} `.endsWith(own) && state === established).length;
}

/**
 * NODE_OPTIONS of a shop that collects its garbage on SIGUSR2. By itself it may wait for minutes without load, and what
 * it holds cannot be told from what it no longer uses.
 */
export const COLLECTS_GARBAGE_ON_SIGNAL = `--expose-gc --import=data:text/javascript,${encodeURIComponent('process.on("SIGUSR2", () => gc());')}`;
