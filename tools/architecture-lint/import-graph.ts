import { posix } from "node:path";
import type { SourceFile } from "./source-file.ts";

/** What each file imports at run time, among the files that are there. */
export type ImportGraph = ReadonlyMap<string, readonly RuntimeImport[]>;

export interface RuntimeImport {
  target: string;
  line: number;
}

/** The path an import leads to inside the repository; undefined for packages, built-ins and generated files. */
export function targetOf(file: string, specifier: string): string | undefined {
  const bare = specifier.replace(/\?.*$/, "");
  if (bare.includes("/+types/")) return undefined;
  if (bare.startsWith("#")) return bare.slice(1);
  if (!bare.startsWith(".")) return undefined;
  const target = posix.join(posix.dirname(file), bare);
  return target.startsWith("build/") ? undefined : target;
}

export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const known = new Set(files.map((file) => file.path));
  return new Map(files.map((file) => [file.path, runtimeImports(file, known)]));
}

function runtimeImports(file: SourceFile, known: ReadonlySet<string>): RuntimeImport[] {
  return file.imports
    .filter((one) => !one.typeOnly)
    .flatMap(({ specifier, line }) => {
      const target = resolve(file.path, specifier, known);
      return target === undefined ? [] : [{ target, line }];
    });
}

function resolve(from: string, specifier: string, known: ReadonlySet<string>): string | undefined {
  const target = targetOf(from, specifier);
  if (target === undefined) return undefined;
  const candidates = [target, `${target}.ts`, `${target}.tsx`, posix.join(target, "index.ts")];
  return candidates.find((path) => known.has(path));
}
