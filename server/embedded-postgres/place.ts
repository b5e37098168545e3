import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Binaries, copyBinaries } from "./binaries.ts";
import { stopOrphan } from "./orphan.ts";
import type { ClusterPlace } from "./postmaster.ts";
import type { Account } from "./run-program.ts";
import { StartupError } from "./startup-error.ts";
import { canReach, canRun, needsOtherAccount, ownerOf, serviceAccount } from "./system-account.ts";

/** Where a DATA_DIR's database lives and who runs it. */
export type Place = ClusterPlace & {
  /** Call once the cluster is there: from then on a missing one is a loss, not a first start. */
  readonly settled: () => void;
};

type Search = {
  /** DATA_DIR/pg, as openHome gave it. */
  readonly local: string;
  /** For messages. */
  readonly dataDir: string;
  readonly packaged: Binaries;
  readonly log: (line: string) => void;
};

const ELSEWHERE = "/var/lib/daypass";
const pointerSchema = z.object({ home: z.string().startsWith("/"), made: z.boolean() });
type Pointer = z.infer<typeof pointerSchema>;

/** DATA_DIR/pg, made when missing; open to be passed through when the database is to run as another user. */
export function openHome(dataDir: string): string {
  const mode = needsOtherAccount() ? 0o755 : 0o700;
  makeFolder(join(dataDir, "pg"), mode);
  return realpathSync(join(dataDir, "pg"));
}

/** Folder by folder: Node's own recursive way never returns where the system knows no folder can be, as in /proc. */
function makeFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT")
      throw new StartupError(`DATA_DIR cannot be used: ${folder} cannot be made.`, { cause: error });
    // Another start may have made it a moment ago.
    if (code !== "EEXIST") throw error;
  }
  // Whatever the umask says, the database's user has to get through, and nobody else where it is our own.
  chmodSync(folder, mode);
}

/**
 * Finds the database's place, or decides on it at the first start. An existing cluster is never left behind
 * for a new, empty one: where it cannot be used that is an error.
 */
export async function findPlace(search: Search): Promise<Place> {
  const { local, packaged } = search;
  const pointer = readPointer(local);
  const home = pointer?.home ?? local;
  refuseOtherMajor(home, packaged.major);
  const cluster = join(home, String(packaged.major));
  if (pointer?.made === true && !existsSync(cluster)) {
    throw new StartupError(
      `The database of this DATA_DIR lived in ${cluster}, which is gone: bring it back, or start with a new DATA_DIR.`,
    );
  }
  if (!needsOtherAccount()) {
    if (pointer !== undefined) {
      throw new StartupError(
        `The database of this DATA_DIR lives in ${home} and was made by root: start as root.`,
      );
    }
    return placeAt(home, packaged, undefined);
  }
  const account = chooseAccount(cluster);
  if (pointer === undefined && existsSync(cluster)) {
    return placeAt(home, await reachableBinaries(home, packaged, account), account);
  }
  if (pointer === undefined && (await canReach(account, home)) && (await canRun(account, packaged))) {
    return placeAt(home, packaged, account);
  }
  return placeElsewhere(search, pointer, account);
}

function chooseAccount(cluster: string): Account {
  const owner = existsSync(cluster) ? ownerOf(cluster) : undefined;
  return owner === undefined || owner.uid === 0 ? serviceAccount() : owner;
}

async function reachableBinaries(home: string, packaged: Binaries, account: Account): Promise<Binaries> {
  if (!(await canReach(account, home))) {
    throw new StartupError(
      `The database in ${home} cannot be reached by user ${account.name}, who runs it: open the folders above it with chmod a+x.`,
    );
  }
  return (await canRun(account, packaged)) ? packaged : copyBinaries(packaged, openElsewhere(home));
}

async function placeElsewhere(
  search: Search,
  pointer: Pointer | undefined,
  account: Account,
): Promise<Place> {
  const { local, packaged, log } = search;
  const home = openElsewhere(local);
  if (pointer === undefined) {
    await setAside(home, search, account);
    writePointer(local, { home, made: false });
  }
  const found = pointer?.home ?? home;
  log(`User ${account.name}, who runs the database, cannot reach this folder: the database is in ${found}.`);
  const place = placeAt(found, copyBinaries(packaged, home), account);
  return { ...place, settled: () => writePointer(local, { home: found, made: true }) };
}

/** A cluster without a pointer belongs to a DATA_DIR that was thrown away and made anew: kept, not used. */
async function setAside(home: string, search: Search, account: Account): Promise<void> {
  const { packaged, dataDir, log } = search;
  for (const entry of readdirSync(home).filter((name) => /^\d+$/.test(name))) {
    const old = placeAt(home, copyBinaries(packaged, home), account);
    await stopOrphan({ ...old, cluster: join(home, entry) }, dataDir);
    const aside = join(home, `${entry}.left-${new Date().toISOString().replaceAll(":", "")}`);
    renameSync(join(home, entry), aside);
    log(`A database of an earlier DATA_DIR of the same name was set aside as ${aside}.`);
  }
}

function placeAt(home: string, binaries: Binaries, account: Account | undefined): Place {
  return {
    home,
    cluster: join(home, String(binaries.major)),
    logFile: join(home, "postgres.log"),
    binaries,
    account,
    settled: () => undefined,
  };
}

function refuseOtherMajor(home: string, major: number): void {
  const majors = existsSync(home) ? readdirSync(home).filter((name) => /^\d+$/.test(name)) : [];
  for (const folder of majors.includes(String(major)) ? [String(major)] : majors) {
    const found = versionOf(join(home, folder)) ?? folder;
    if (found === String(major)) continue;
    throw new StartupError(
      `${join(home, folder)} was made by PostgreSQL ${found} and this is PostgreSQL ${major}: move the data with a dump made by the earlier version, or set DATA_DIR to a new folder.`,
    );
  }
}

function versionOf(cluster: string): string | undefined {
  try {
    return readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  } catch {
    return undefined;
  }
}

function openElsewhere(local: string): string {
  const home = join(ELSEWHERE, createHash("sha256").update(local).digest("hex").slice(0, 16));
  makeFolder(home, 0o755);
  return realpathSync(home);
}

function pointerFile(local: string): string {
  return join(local, "elsewhere.json");
}

function readPointer(local: string): Pointer | undefined {
  const file = pointerFile(local);
  if (!existsSync(file)) return undefined;
  try {
    return pointerSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new StartupError(`${file} should say where the database lives and cannot be read: bring it back.`, {
      cause: error,
    });
  }
}

function writePointer(local: string, pointer: Pointer): void {
  const draft = `${pointerFile(local)}.tmp`;
  writeFileSync(draft, `${JSON.stringify(pointer)}\n`, { flush: true });
  renameSync(draft, pointerFile(local));
}
