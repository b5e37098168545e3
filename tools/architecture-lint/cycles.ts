import type { ImportGraph } from "./import-graph.ts";
import type { Breach } from "./source-file.ts";

/** Circles of imports that exist at run time. Each circle is reported once, at its alphabetically first file. */
export function cycleBreaches(graph: ImportGraph): Breach[] {
  const importsOf = (file: string) => graph.get(file) ?? [];
  return stronglyConnected(new Map([...graph].map(([file, all]) => [file, all.map((one) => one.target)])))
    .map((group) => group.toSorted())
    .flatMap((members) => {
      const first = members[0] ?? "";
      const way = importsOf(first).find((one) => members.includes(one.target));
      if (!way) return [];
      return [
        { file: first, line: way.line, message: `is part of a circle of imports: ${members.join(", ")}` },
      ];
    });
}

/** Tarjan's algorithm, without recursion so that a long chain of imports cannot exhaust the stack. */
function stronglyConnected(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];

  const enter = (node: string) => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    open.push(node);
    return { node, rest: [...(graph.get(node) ?? [])] };
  };
  const lower = (node: string, to: number) => low.set(node, Math.min(low.get(node) ?? to, to));

  for (const start of graph.keys()) {
    if (order.has(start)) continue;
    const path = [enter(start)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        path.pop();
        const { node } = top;
        const lowest = low.get(node) ?? 0;
        if (lowest === order.get(node)) groups.push(open.splice(open.indexOf(node)));
        const parent = path.at(-1);
        if (parent) lower(parent.node, lowest);
      } else if (!order.has(next)) {
        path.push(enter(next));
      } else if (open.includes(next)) {
        lower(top.node, order.get(next) ?? 0);
      }
    }
  }
  return groups;
}
