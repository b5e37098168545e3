import type { ImportGraph } from "./import-graph.ts";
import { layerOf } from "./layers.ts";
import { isTest, type Violation } from "./source-file.ts";

/**
 * The files that run before the server bundle may import other files of server/ only as long as none of them leads to
 * another layer: its modules would exist twice, once here and once in the bundle.
 */
export function bootstrapViolations(graph: ImportGraph): Violation[] {
  return [...graph].flatMap(([file, imports]) => {
    if (layerOf(file) !== "bootstrap" || isTest(file)) return [];
    return imports.flatMap(({ target, line, typeOnly }) => {
      if (typeOnly || layerOf(target) !== "server") return [];
      const bundled = firstBundledModule(graph, target);
      if (bundled === undefined) return [];
      return [
        { file, line, message: `imports ${target}, which leads to ${bundled}: that belongs to the bundle` },
      ];
    });
  });
}

/** The first module outside server/ that `start` imports, directly or through other files of server/. */
function firstBundledModule(graph: ImportGraph, start: string): string | undefined {
  const reached = new Set([start]);
  for (const file of reached) {
    // Other files of the bootstrap layer are checked themselves.
    if (layerOf(file) === "bootstrap") continue;
    if (layerOf(file) !== "server") return file;
    for (const { target, typeOnly } of graph.get(file) ?? []) if (!typeOnly) reached.add(target);
  }
  return undefined;
}
