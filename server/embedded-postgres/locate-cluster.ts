import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Binaries, copyBinaries, findBinaries, programOf } from "./binaries.ts";
import { type ClusterRecord, readRecord, shopDatabaseUrl } from "./cluster.ts";
import { findLockHolder } from "./lock-file.ts";
import { type Cluster, findPostmaster, stopPostmaster } from "./postmaster.ts";
import { type Account, runProgram } from "./processes.ts";
import { acquireSessionLock, disconnect } from "./session-lock.ts";
import { DataDirInUseError, StartupError } from "./startup-error.ts";

/** The cluster of a DATA_DIR; its folder may not exist yet. */
export type LocatedCluster = Cluster & {
  /** To be called once the cluster exists. From then on a missing cluster is an error and not a first start. */
  readonly markCreated: () => void;
  /** Deletes it, so that the next start is a first one. */
  readonly remove: () => void;
  /**
   * Begins a restore. Beside a cluster of another major version, the cluster that it makes counts only after `setOthersAside`;
   * what an interrupted restore has made is deleted.
   */
  readonly beginRestore: () => Promise<void>;
  /** Renames the clusters that other major versions of PostgreSQL made, so that no shop runs with them by mistake. */
  readonly setOthersAside: () => Promise<void>;
};

type Search = {
  /** DATA_DIR/pg, as `createLocalHome` returned it. */
  readonly localHome: string;
  /** For messages. */
  readonly dataDir: string;
  readonly packaged: Binaries;
  /** A restore makes a new cluster beside one of another major version. */
  readonly allowsOtherMajor: boolean;
  readonly log: (line: string) => void;
};

/** Holds the homes of clusters whose service account cannot reach DATA_DIR. */
const FALLBACK_ROOT = "/var/lib/daypass";
const pointerSchema = z.object({ home: z.string().startsWith("/"), made: z.boolean() });
type Pointer = z.infer<typeof pointerSchema>;

/** Creates DATA_DIR/pg when it is missing. Other users may enter it when the database runs as another user. */
export function createLocalHome(dataDir: string): string {
  const mode = needsOtherAccount() ? 0o755 : 0o700;
  createFolder(join(dataDir, "pg"), mode);
  return realpathSync(join(dataDir, "pg"));
}

/** Creates the parents one by one: Node's recursive mkdir never returns where no folder can be created, as in /proc. */
function createFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder), mode);
  try {
    mkdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT")
      throw new StartupError(`DATA_DIR cannot be used: ${folder} cannot be made.`, { cause: error });
    // Another process may have created it meanwhile.
    if (code !== "EEXIST") throw error;
  }
  // Overrides the umask: the database's user must be able to enter, and nobody else when it is our own user.
  chmodSync(folder, mode);
}

/**
 * Finds the cluster of a DATA_DIR, or decides where the first start creates it. An existing cluster that cannot be used is
 * an error; it is never replaced by a new, empty one.
 *
 * @throws StartupError
 */
export async function locateCluster(search: Search): Promise<LocatedCluster> {
  const { localHome, packaged } = search;
  const pointer = readPointer(localHome);
  const home = pointer?.home ?? localHome;
  const other = clusterOfOtherMajor(home, packaged.major);
  if (other !== null && !search.allowsOtherMajor) throw madeByOther(other, packaged.major);
  const folder = join(home, String(packaged.major));
  // A restore sets the others aside as its last step, so it was complete.
  if (other === null) rmSync(restoreMarker(home, String(packaged.major)), { force: true });
  if (pointer?.made === true && !existsSync(folder) && other === null) {
    throw new StartupError(
      `The database of this DATA_DIR lived in ${folder}, which is gone: bring it back, or start with a new DATA_DIR.`,
    );
  }
  if (!needsOtherAccount()) {
    if (pointer !== undefined) {
      throw new StartupError(
        `The database of this DATA_DIR lives in ${home} and was made by root: start as root.`,
      );
    }
    return clusterAt(search, home, packaged, undefined);
  }
  const account = chooseAccount(other?.folder ?? folder);
  if (pointer === undefined && existsSync(folder)) {
    return clusterAt(search, home, await runnableBinaries(home, packaged, account), account);
  }
  if (pointer === undefined && (await canReach(account, home)) && (await canRun(account, packaged))) {
    return clusterAt(search, home, packaged, account);
  }
  return locateInFallbackHome(search, pointer, account);
}

/** The folder with the clusters of a DATA_DIR; null when there is none yet. */
export function clusterHome(dataDir: string): string | null {
  const localHome = join(dataDir, "pg");
  const home = readPointer(localHome)?.home ?? localHome;
  return existsSync(home) ? home : null;
}

function chooseAccount(clusterFolder: string): Account {
  const owner = existsSync(clusterFolder) ? ownerOf(clusterFolder) : undefined;
  return owner === undefined || owner.uid === 0 ? findServiceAccount() : owner;
}

async function runnableBinaries(home: string, packaged: Binaries, account: Account): Promise<Binaries> {
  if (!(await canReach(account, home))) {
    throw new StartupError(
      `The database in ${home} cannot be reached by user ${account.name}, who runs it: open the folders above it with chmod a+x.`,
    );
  }
  return (await canRun(account, packaged)) ? packaged : copyBinaries(packaged, createFallbackHome(home));
}

async function locateInFallbackHome(
  search: Search,
  pointer: Pointer | undefined,
  account: Account,
): Promise<LocatedCluster> {
  const { localHome, packaged, log } = search;
  const home = createFallbackHome(localHome);
  if (pointer === undefined) {
    // A cluster without a pointer belongs to a DATA_DIR that was deleted and created again: it is kept and not used.
    await setClustersAside(clusterAt(search, home, copyBinaries(packaged, home), account), search);
    writePointer(localHome, { home, made: false });
  }
  const found = pointer?.home ?? home;
  log(`User ${account.name}, who runs the database, cannot reach this folder: the database is in ${found}.`);
  const cluster = clusterAt(search, found, copyBinaries(packaged, home), account);
  return {
    ...cluster,
    markCreated: () => writePointer(localHome, { home: found, made: true }),
    remove: () => {
      // Before the folder: a pointer to a folder that is gone is an error. It also names the home of a cluster of another major
      // version.
      if (cluster.isOnly()) rmSync(pointerFile(localHome), { force: true });
      cluster.remove();
    },
  };
}

/** Renames the clusters beside `cluster`, and stops a server that a killed shop has left running in one. */
async function setClustersAside(
  cluster: Cluster,
  { dataDir, log }: Pick<Search, "dataDir" | "log">,
  majors = readMajors(cluster.home),
): Promise<void> {
  for (const major of majors) {
    const folder = join(cluster.home, major);
    await stopOrphanedServer({ ...cluster, folder }, dataDir);
    const aside = `${folder}.left-${new Date().toISOString().replaceAll(":", "")}`;
    renameSync(folder, aside);
    log(`The earlier database of this DATA_DIR was set aside as ${aside}.`);
  }
}

function clusterAt(
  search: Search,
  home: string,
  binaries: Binaries,
  account: Account | undefined,
): LocatedCluster & { isOnly: () => boolean } {
  const present = String(binaries.major);
  const folder = join(home, present);
  const cluster = { home, folder, logFile: join(home, "postgres.log"), binaries, account };
  const marker = restoreMarker(home, present);
  const others = () => readMajors(home).filter((major) => major !== present);
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(marker, { force: true });
  };
  return {
    ...cluster,
    markCreated: () => undefined,
    remove,
    isOnly: () => others().length === 0,
    async beginRestore() {
      if (others().length === 0) return;
      if (existsSync(marker)) {
        await stopOrphanedServer(cluster, search.dataDir);
        remove();
      }
      if (!existsSync(folder)) writeFileSync(marker, "", { flush: true });
    },
    async setOthersAside() {
      await setClustersAside(cluster, search, others());
      rmSync(marker, { force: true });
    },
  };
}

/** The file that is there while a restore makes the cluster of `major`, and after one that was interrupted. */
const restoreMarker = (home: string, major: string) => join(home, `restoring-${major}`);

/** A cluster that another major version of PostgreSQL made. */
export interface OtherCluster {
  folder: string;
  /** For example 17. */
  major: string;
}

/** The cluster in the way of PostgreSQL `major`, which cannot read it; null: there is none, or PostgreSQL can read it. */
export function findOtherCluster(dataDir: string, major: number): OtherCluster | null {
  const home = clusterHome(dataDir);
  return home === null ? null : clusterOfOtherMajor(home, major);
}

function clusterOfOtherMajor(home: string, major: number): OtherCluster | null {
  const majors = readMajors(home);
  // The newest: an automatic move of an earlier version of the shop has left older ones.
  const newestFirst = majors.toSorted((one, other) => Number(other) - Number(one));
  const clusters = (majors.includes(String(major)) ? [String(major)] : newestFirst).map((name) => {
    const folder = join(home, name);
    return { folder, major: versionOf(folder) ?? name };
  });
  return clusters.find((cluster) => cluster.major !== String(major)) ?? null;
}

/** The folders of a home that have, or should have, a cluster. A cluster that a restore is making does not count. */
function readMajors(home: string): string[] {
  const names = existsSync(home) ? readdirSync(home) : [];
  return names.filter((name) => /^\d+$/.test(name) && !existsSync(restoreMarker(home, name)));
}

function madeByOther({ folder, major }: OtherCluster, present: number): StartupError {
  return new StartupError(
    `${folder} was made by PostgreSQL ${major} and this is PostgreSQL ${present}. Nothing was started. Make a backup with the earlier version of the shop: npm run backup. Then restore it with this version: npm run restore -- FILE`,
  );
}

/** The major version of PostgreSQL that made a cluster. */
function versionOf(clusterFolder: string): string | undefined {
  try {
    return readFileSync(join(clusterFolder, "PG_VERSION"), "utf8").trim();
  } catch {
    return undefined;
  }
}

function createFallbackHome(localHome: string): string {
  const home = join(FALLBACK_ROOT, createHash("sha256").update(localHome).digest("hex").slice(0, 16));
  createFolder(home, 0o755);
  return realpathSync(home);
}

function pointerFile(localHome: string): string {
  return join(localHome, "elsewhere.json");
}

function readPointer(localHome: string): Pointer | undefined {
  const file = pointerFile(localHome);
  if (!existsSync(file)) return undefined;
  try {
    return pointerSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new StartupError(`${file} should say where the database lives and cannot be read: bring it back.`, {
      cause: error,
    });
  }
}

function writePointer(localHome: string, pointer: Pointer): void {
  const draft = `${pointerFile(localHome)}.tmp`;
  writeFileSync(draft, `${JSON.stringify(pointer)}\n`, { flush: true });
  renameSync(draft, pointerFile(localHome));
}

/** Postgres refuses to run as root. Any other user runs it under their own account. */
function needsOtherAccount(): boolean {
  return process.getuid?.() === 0;
}

/** Returns user postgres where it exists, else user nobody. @throws StartupError when neither exists */
function findServiceAccount(): Account {
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const [name, , uid, gid] = accounts.find(([entry]) => entry === wanted) ?? [];
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      return { name, uid: Number(uid), gid: Number(gid) };
    }
  }
  throw new StartupError(
    "PostgreSQL does not run as root and this machine has neither a user postgres nor a user nobody: start as another user.",
  );
}

/** The owner of an existing cluster, who keeps running it. */
function ownerOf(folder: string): Account {
  const { uid, gid } = statSync(folder);
  return { name: `number ${uid}`, uid, gid };
}

/** Tries it as that user, so that access lists and mounts count as well. */
async function canReach(account: Account, folder: string): Promise<boolean> {
  const { code } = await runProgram("/bin/sh", ["-c", 'cd "$1" && test -x .', "sh", folder], account);
  return code === 0;
}

async function canRun(account: Account, binaries: Binaries): Promise<boolean> {
  try {
    const { code } = await runProgram(programOf(binaries, "postgres"), ["--version"], account);
    // initdb also reads its templates from share, which a strict umask may have closed.
    const share = `${binaries.folder}/share/postgresql/postgres.bki`;
    const readable = await runProgram("/bin/sh", ["-c", 'test -r "$1"', "sh", share], account);
    return code === 0 && readable.code === 0;
  } catch {
    return false;
  }
}

/**
 * The address of the database that a running shop has started for this DATA_DIR; undefined when no shop runs there.
 *
 * @throws StartupError
 */
export function findRunningDatabase(dataDir: string): string | undefined {
  if (findLockHolder(join(dataDir, "pg")) === undefined) return undefined;
  const home = clusterHome(dataDir);
  const { major } = findBinaries();
  const other = findOtherCluster(dataDir, major);
  if (other !== null) throw madeByOther(other, major);
  return home === null ? undefined : shopDatabaseUrl(readRecord(join(home, String(major))));
}

const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Stops a database server whose shop was killed. A server that a running shop uses keeps running.
 *
 * @returns whether there was an orphaned server
 * @throws DataDirInUseError naming the shop that uses the server
 */
export async function stopOrphanedServer(cluster: Cluster, dataDir: string): Promise<boolean> {
  const postmaster = findPostmaster(cluster.folder);
  if (postmaster === undefined) return false;
  await refuseIfUsed(cluster.folder, readRecord(cluster.folder), postmaster.port, dataDir);
  await stopPostmaster(cluster);
  return true;
}

async function refuseIfUsed(
  clusterFolder: string,
  record: ClusterRecord,
  port: number,
  dataDir: string,
): Promise<void> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  const isUp = () => Date.now() < deadline && findPostmaster(clusterFolder) !== undefined;
  try {
    const { client } = await acquireSessionLock({ port, password: record.superuserPassword, dataDir }, isUp);
    await disconnect(client);
  } catch (error) {
    if (error instanceof DataDirInUseError) throw error;
    // A server that does not answer has no connected shop that could hold the lock.
  }
}
