/** What a shop says of itself at /metrics: series with its labels, as in `daypass_database_connections{state="busy"}`. */
export async function readMetrics(url: string, token: string): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`/metrics answers ${answer.status}`);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** What the process holds for JavaScript and buffers, in MiB. Its resident size also has what the system has not taken back. */
export function heldMiB(metrics: ReadonlyMap<string, number>): number {
  const heap = metrics.get("nodejs_heap_size_used_bytes") ?? Number.NaN;
  const external = metrics.get("nodejs_external_memory_bytes") ?? Number.NaN;
  return (heap + external) / 1024 / 1024;
}
