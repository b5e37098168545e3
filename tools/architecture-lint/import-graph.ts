import { posix } from "node:path";
import type { SourceFile } from "./source-file.ts";

/** What each file imports, among the files of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly ResolvedImport[]>;

export interface ResolvedImport {
  target: string;
  line: number;
  /** Only types are imported: the import does not exist at run time. */
  typeOnly: boolean;
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
  const resolve = (file: SourceFile) =>
    file.imports.flatMap(({ specifier, line, typeOnly }) => {
      const target = targetOf(file.path, specifier);
      return target !== undefined && known.has(target) ? [{ target, line, typeOnly }] : [];
    });
  return new Map(files.map((file) => [file.path, resolve(file)]));
}
