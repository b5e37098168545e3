import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { BINARY_HASHES } from "./binary-hashes.ts";
import { StartupError } from "./startup-error.ts";

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
