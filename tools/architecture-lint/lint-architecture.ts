import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { cycleBreaches } from "./cycles.ts";
import { fileBreaches } from "./file-rules.ts";
import { importGraph } from "./import-graph.ts";
import { importBreaches } from "./import-rules.ts";
import { parseSource } from "./parse-source.ts";
import { measureSizes } from "./sizes.ts";
import type { Breach } from "./source-file.ts";
import { starterBreaches } from "./starter.ts";

const SOURCE = /\.(?:[cm]?[jt]sx?|css)$/;
const NEVER_OURS = [".git", "node_modules"];

export interface ArchitectureReport {
  files: number;
  breaches: Breach[];
  summary: string[];
}

/** Holds every source file below `root` against the rules of the house. A tree without files is in order. */
export function lintArchitecture(root: string): ArchitectureReport {
  const paths = sourcePaths(root, "", new Set([...NEVER_OURS, ...ignoredFolders(root)]));
  const files = paths.map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
  const graph = importGraph(files);
  const sizes = measureSizes(files);
  const breaches = [
    ...files.flatMap(importBreaches),
    ...cycleBreaches(graph),
    ...starterBreaches(graph),
    ...files.flatMap(fileBreaches),
    ...sizes.breaches,
  ].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return { files: files.length, breaches, summary: sizes.summary };
}

/** Walks the folders rather than asking git, so that a tree unpacked from an archive is checked too. */
function sourcePaths(root: string, folder: string, ignored: ReadonlySet<string>): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name)) return [];
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return sourcePaths(root, path, ignored);
    return entry.isFile() && SOURCE.test(entry.name) ? [path] : [];
  });
}

function ignoredFolders(root: string): string[] {
  const entry = readdirSync(root).find((name) => name === ".gitignore");
  if (!entry) return [];
  const lines = readFileSync(join(root, entry), "utf8").split("\n");
  return lines.filter((line) => /^[\w.-]+\/$/.test(line)).map((line) => line.slice(0, -1));
}
