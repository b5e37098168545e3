import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { bootstrapViolations } from "./bootstrap.ts";
import { domainCycleViolations } from "./domain-cycles.ts";
import { fileViolations } from "./file-rules.ts";
import { importGraph } from "./import-graph.ts";
import { importViolations } from "./import-rules.ts";
import { parseSource } from "./parse-source.ts";
import { measureSizes } from "./sizes.ts";
import type { Violation } from "./source-file.ts";

const SOURCE = /\.(?:[cm]?[jt]sx?|css)$/;
const ALWAYS_IGNORED = [".git", "node_modules"];

export interface ArchitectureReport {
  files: number;
  violations: Violation[];
  summary: string[];
}

/** Checks every source file below `root`. A tree without files has no violations. */
export function lintArchitecture(root: string): ArchitectureReport {
  const paths = sourcePaths(root, "", new Set([...ALWAYS_IGNORED, ...ignoredFolders(root)]));
  const files = paths.map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
  const graph = importGraph(files);
  const sizes = measureSizes(files);
  const violations = [
    ...files.flatMap(importViolations),
    ...domainCycleViolations(graph),
    ...bootstrapViolations(graph),
    ...files.flatMap(fileViolations),
    ...sizes.violations,
  ].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return { files: files.length, violations, summary: sizes.summary };
}

/** Reads the folders instead of asking git: a tree unpacked from an archive is checked too. */
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
