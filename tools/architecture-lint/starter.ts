import type { ImportGraph } from "./import-graph.ts";
import { placeOf } from "./places.ts";
import { type Breach, isTest } from "./source-file.ts";

/**
 * What runs before the bundle may be cut into several files of server/, as long as none of them leads to a domain module:
 * that would be a second instance beside the one in the bundle.
 */
export function starterBreaches(graph: ImportGraph): Breach[] {
  return [...graph].flatMap(([file, imports]) => {
    if (placeOf(file) !== "starter" || isTest(file)) return [];
    return imports.flatMap(({ target, line }) => {
      const domain = placeOf(target) === "server" ? domainBehind(graph, target) : undefined;
      if (domain === undefined) return [];
      return [
        { file, line, message: `imports ${target}, which leads to ${domain}: that belongs to the bundle` },
      ];
    });
  });
}

function domainBehind(graph: ImportGraph, start: string): string | undefined {
  const seen = new Set([start]);
  for (const file of seen) {
    // The starter's own files answer for themselves.
    if (placeOf(file) === "starter") continue;
    if (placeOf(file) !== "server") return file;
    for (const { target } of graph.get(file) ?? []) seen.add(target);
  }
  return undefined;
}
