import { targetOf } from "./import-graph.ts";
import { domainOf, layerOf } from "./layers.ts";
import { type Import, isTest, type SourceFile, type Violation } from "./source-file.ts";

/**
 * The rules of imports that Biome cannot express: they depend on the file that a relative path leads to, or on the domain
 * of both files.
 */
export function importViolations(file: SourceFile): Violation[] {
  const layer = layerOf(file.path);
  if (layer === undefined) {
    return [{ file: file.path, line: 1, message: "the architecture has no such top-level folder" }];
  }
  if (isTest(file.path) || layer === "tooling") return [];
  return file.imports.flatMap((one) => {
    const message = messageFor(file.path, one);
    return message === undefined ? [] : [{ file: file.path, line: one.line, message }];
  });
}

function messageFor(path: string, { specifier, inline }: Import): string | undefined {
  if (inline) return `imports ${specifier} within a type, where Biome does not see it: write \`import type\``;
  const target = targetOf(path, specifier);
  if (target === undefined) return undefined;
  if (specifier.startsWith(".") && topFolderOf(target) !== topFolderOf(path)) {
    return `imports ${target} by a relative path: another top-level folder is imported by its '#' name`;
  }
  if (!path.startsWith("core/") || !/^core\/.*queries\.server\.ts$/.test(target)) return undefined;
  if (domainOf(path) === domainOf(target)) return undefined;
  return `imports ${target}: the queries of another domain are private; call one of its operations`;
}

function topFolderOf(path: string): string | undefined {
  return path.includes("/") ? path.split("/")[0] : undefined;
}
