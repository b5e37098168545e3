import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { findOtherCluster } from "../server/embedded-postgres/locate-cluster.ts";
import { ConfigurationError, type Env, readEnv } from "../server/env.ts";
import { nameBackup } from "../server/start/backup-arguments.ts";
import { CHECKSUM, installRelease, postgresMajorOf } from "./install-release.ts";
import { isRunning, takeLock } from "./node-runtime.mjs";
import { endTrial, folderOf, readCurrent, readRunning, releasesIn, writeCurrent } from "./releases.mjs";

const UPGRADE_HELP = `Replaces the code of the shop by a new version, and goes back when that does not work. The shop may be running.

  npm run upgrade -- ARCHIVE [--sha256=CHECKSUM]
  npm run upgrade -- --back

  ARCHIVE            a release that npm run release has written: a file, or an https address. A relative path starts in the
                     folder of the shop
  --sha256=CHECKSUM  the checksum of the archive. Without it, the command reads it from ARCHIVE.sha256
  --back             runs the version before this one again

Run it as the user of the shop, with the settings of the shop. The command installs the new version beside the running one,
makes a backup, and lets the shop start the new version. When that does not answer within two minutes, the version before it
runs again. Orders and all other data stay in either case.`;

/** A new version has this long to become healthy. */
const TRIAL_MS = 120_000;
/** A version is healthy when it has answered this often in a row. */
const HEALTHY_CHECKS = 3;
const CHECK_PAUSE_MS = 1_000;
const ANSWER_LIMIT_MS = 10_000;
/** A version that is given up has this long to end by itself. Then it is killed. */
const HANGING_MS = 15_000;
/** The version before has this long to answer after the shop has gone back to it. */
const BACK_LIMIT_MS = 60_000;

const BACKUP_PREFIX = "before-upgrade-daypass-";
const KEPT_BACKUPS = 3;

interface Shop {
  /** The folder that the shop was installed in. */
  home: string;
  env: Env;
  log: (line: string) => void;
}

interface Unreadable {
  /** The major version of the PostgreSQL that made the database. */
  madeBy: string;
  /** The major version of the code. */
  major: number;
}

/**
 * `npm run upgrade`.
 *
 * @param options.home the folder that the shop was installed in
 * @returns the exit code
 * @throws ConfigurationError
 */
export async function runUpgrade(args: readonly string[], { home }: { home: string }): Promise<number> {
  const asked = readArguments(args);
  if (asked === null) {
    console.log(UPGRADE_HELP);
    return 0;
  }
  requireOwner(home);
  const shop: Shop = { home, env: readEnv(), log: (line) => console.log(line) };
  const unlock = lock(home);
  try {
    const next =
      asked.archive === null ? previousOf(home) : await installRelease(shop, asked.archive, asked.checksum);
    return (await switchTo(shop, next, asked.archive === null)) ? 0 : 1;
  } finally {
    unlock();
  }
}

/** The shop could not read or replace files that another user has installed. @throws ConfigurationError */
function requireOwner(home: string): void {
  const { uid } = statSync(home);
  if (process.getuid === undefined || process.getuid() === uid) return;
  throw new ConfigurationError(
    `Run this as the user who owns ${home} (user id ${uid}), who also runs the shop. Nothing was changed.`,
  );
}

/** @returns null when the help is asked for; `archive` null: go back @throws ConfigurationError */
function readArguments(args: readonly string[]): { archive: string | null; checksum: string | null } | null {
  if (args.includes("--help") || args.includes("-h")) return null;
  const sum = args
    .find((arg) => arg.startsWith("--sha256="))
    ?.slice("--sha256=".length)
    .toLowerCase();
  const unknown = args.find((arg) => arg.startsWith("-") && arg !== "--back" && !arg.startsWith("--sha256="));
  if (unknown !== undefined)
    throw new ConfigurationError(`The argument ${unknown} is unknown, and nothing was changed.`);
  if (sum !== undefined && !CHECKSUM.test(sum)) {
    throw new ConfigurationError("--sha256 must be 64 hexadecimal digits. Nothing was changed.");
  }
  const [archive, second] = args.filter((arg) => !arg.startsWith("-"));
  if (second !== undefined)
    throw new ConfigurationError(`Name one archive, not also ${second}. Nothing was changed.`);
  const isBack = args.includes("--back");
  if (isBack === (archive !== undefined))
    throw new ConfigurationError(`Name the archive, or --back.\n\n${UPGRADE_HELP}`);
  return { archive: archive ?? null, checksum: sum ?? null };
}

/** Lets one upgrade of a shop run at a time. @returns ends the lock @throws ConfigurationError when another upgrade runs */
function lock(home: string): () => void {
  const folder = join(releasesIn(home), "upgrading");
  const taken = takeLock(folder);
  if (typeof taken === "function") return taken;
  throw new ConfigurationError(
    `Another upgrade of this shop is running (process ${taken}). If that is not so, delete ${folder}. Nothing was changed.`,
  );
}

/** @returns the release that ran before this one; null: the code that was installed first @throws ConfigurationError */
function previousOf(home: string): string | null {
  const { release, previous } = readCurrent(home);
  if (release === null && previous === undefined) {
    throw new ConfigurationError("There is no version to go back to. Nothing was changed.");
  }
  return previous ?? null;
}

/** The embedded database that PostgreSQL of the code of `release` could not read; null: there is none. */
async function findUnreadable({ home, env }: Shop, release: string | null): Promise<Unreadable | null> {
  const major = await postgresMajorOf(folderOf(home, release));
  if (env.databaseUrl !== undefined || major === null) return null;
  const cluster = findOtherCluster(env.dataDir, major);
  return cluster && { madeBy: cluster.major, major };
}

/** @throws ConfigurationError when `next` has another PostgreSQL than the embedded database */
async function refuseOtherPostgres(shop: Shop, next: string | null, isBack: boolean): Promise<void> {
  const found = await findUnreadable(shop, next);
  if (found === null) return;
  const reason = `Version ${nameOf(next)} has PostgreSQL ${found.major}, and PostgreSQL ${found.madeBy} made the database of this shop.`;
  if (isBack)
    throw new ConfigurationError(
      `${reason} Nothing was switched. docs/operations.md says what to do, under “A new version of PostgreSQL”.`,
    );
  const launcherOfNext = relative(shop.home, launcher(folderOf(shop.home, next)));
  throw new ConfigurationError(
    `${reason} Nothing was switched. Move the data first: stop the shop, then run

  npm run backup
  node ${launcherOfNext} restore FILE

with the file that the backup names. Afterwards run this again.`,
  );
}

/**
 * Backs up, lets the shop run `next`, and goes back when it is not healthy. Without a running shop it starts `next`, checks it,
 * and stops it again.
 *
 * @param next a release; null: the code that was installed first
 * @param isBack whether the owner has asked to go back
 * @returns whether the shop runs `next` from now on
 * @throws ConfigurationError when it has not been tried: `next` cannot read the database, the backup failed, or the shop cannot be
 *   found
 */
async function switchTo(shop: Shop, next: string | null, isBack: boolean): Promise<boolean> {
  const { home, log } = shop;
  const current = readCurrent(home);
  const { release, trial } = current;
  const isOnTrial = release === next && trial !== undefined;
  if (release === next && !isOnTrial) {
    log(`Version ${nameOf(next)} runs already.`);
    return true;
  }
  await refuseOtherPostgres(shop, next, isBack);
  const isShopRunning = await findRunningShop(shop, isOnTrial);
  // The data was moved to the PostgreSQL of the new version: the version that runs cannot read it, and what was restored is the
  // backup.
  const isMoved = (await findUnreadable(shop, release)) !== null;
  // An upgrade that was killed after this is continued. Going back must also work where no backup can be made.
  if (!isOnTrial && !isBack && !isMoved) {
    log("Backing up …");
    await backUp(shop);
  }
  const back = trial?.back ?? current;
  const before = back.release;
  const until = new Date(Date.now() + TRIAL_MS).toISOString();
  writeCurrent(home, { release: next, previous: before, trial: { until, starts: 0, back } });
  log(isShopRunning ? "The shop restarts with the new version …" : "Starting the new version to check it …");
  const started = isShopRunning ? null : startShop(home);
  try {
    if (await becomesHealthy(shop, next, TRIAL_MS, started)) {
      endTrial(home, { isHealthy: true });
      removeOldReleases(home);
      log(`Version ${nameOf(next)} ${isShopRunning ? "runs" : "works. Start the shop"}.`);
      return true;
    }
  } finally {
    await stopShop(started);
  }
  // The shop may have gone back by itself.
  if (readCurrent(home).release === next) writeCurrent(home, back);
  await endHanging(home, next);
  log(
    isMoved
      ? `Version ${nameOf(next)} does not work: its log says why. Version ${nameOf(before)} cannot read the database, which was moved. Correct what the log says, and run this again.`
      : `Version ${nameOf(next)} does not work: its log says why. Version ${nameOf(before)} is back.`,
  );
  if (isShopRunning && !(await becomesHealthy(shop, before, BACK_LIMIT_MS, null))) {
    log("It does not answer yet. Look at its log, and run npm run doctor: it says what is wrong.");
  }
  return false;
}

/** Kills a process that does not end by itself: a process that hangs does not notice that its version was given up. */
async function endHanging(home: string, release: string | null): Promise<void> {
  for (const until = Date.now() + HANGING_MS; ; await delay(CHECK_PAUSE_MS)) {
    const running = readRunning(home);
    if (running?.release !== release || !isShop(running.pid)) return;
    if (Date.now() <= until) continue;
    process.kill(running.pid, "SIGKILL");
    return;
  }
}

const nameOf = (release: string | null) => release ?? "that was installed first";

/**
 * Whether a shop runs that will notice the new version.
 *
 * @throws ConfigurationError when one answers that would not
 */
async function findRunningShop({ home, env }: Shop, isOnTrial: boolean): Promise<boolean> {
  const running = readRunning(home);
  const isAlive = running !== null && isShop(running.pid);
  const supervisor = running?.supervisor ?? null;
  // Between two of its processes, after a crash or an upgrade that was killed, a shop has only the process that starts it again.
  const isRestarting = !isAlive && supervisor !== null && isShop(supervisor);
  if (await isAnswering(env, "/healthz")) {
    if (isAlive || isRestarting) return true;
  } else {
    if (!isAlive || isOnTrial) return isAlive || isRestarting;
    throw new ConfigurationError(
      `A shop of ${home} runs (process ${running.pid}) and does not answer at port ${env.port}. Run this with the settings of that shop, or stop it first. Nothing was changed.`,
    );
  }
  throw new ConfigurationError(
    `What answers at port ${env.port} was not started from ${home}, or was started before this folder had npm run upgrade. Restart the shop, then try again. Nothing was changed.`,
  );
}

/** After a restart of the machine, another program may have the process id. */
function isShop(pid: number): boolean {
  if (!isRunning(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("daypass.mjs");
  } catch {
    // Not Linux, or a process that has just ended.
    return isRunning(pid);
  }
}

async function isAnswering({ host, port }: Env, path: string): Promise<boolean> {
  const own =
    host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${own}:${port}${path}`, {
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    await response.body?.cancel();
    return response.status < 400;
  } catch {
    return false;
  }
}

async function becomesHealthy(
  { home, env }: Shop,
  release: string | null,
  limitMs: number,
  started: ChildProcess | null,
): Promise<boolean> {
  const until = Date.now() + limitMs;
  for (let healthy = 0; Date.now() < until; ) {
    if (readCurrent(home).release !== release || hasEnded(started)) return false;
    const running = readRunning(home);
    const isOwn = running?.isReady === true && running.release === release && isRunning(running.pid);
    // The home page also shows that the code works with the database.
    healthy =
      isOwn && (await isAnswering(env, "/healthz")) && (await isAnswering(env, "/")) ? healthy + 1 : 0;
    if (healthy === HEALTHY_CHECKS) return true;
    await delay(CHECK_PAUSE_MS);
  }
  return false;
}

const hasEnded = (child: ChildProcess | null) =>
  child !== null && (child.exitCode !== null || child.signalCode !== null);

const launcher = (home: string) => join(home, "bin", "daypass.mjs");

function startShop(home: string): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, launcher(home), "start"], {
    env: { ...process.env, NO_RESTART: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

async function stopShop(child: ChildProcess | null): Promise<void> {
  if (child === null || hasEnded(child)) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
}

/** Makes the backup with the code that runs now, because the new code is not tried yet. @throws ConfigurationError */
async function backUp({ home, env, log }: Shop): Promise<void> {
  removeOldBackups(env.backupFolder);
  const name = nameBackup(new Date(), env.backupPassphrase !== undefined);
  const path = join(env.backupFolder, `${BACKUP_PREFIX}${name.replace("daypass-", "")}`);
  try {
    await promisify(execFile)(process.execPath, [
      ...process.execArgv,
      launcher(home),
      "backup",
      path,
      "--as-built",
    ]);
    log(`Backup: ${path}`);
  } catch (error) {
    const lines = String((error as { stderr?: unknown }).stderr ?? "").trim();
    throw new ConfigurationError(
      `The backup failed, so nothing was switched and the shop runs as before: ${lines}`,
      { cause: error },
    );
  }
}

/** Keeps the release that runs and the release before it. */
function removeOldReleases(home: string): void {
  const { release, previous } = readCurrent(home);
  const kept = new Set([release, previous ?? null, "current", "running", "upgrading"]);
  for (const name of readdirSync(releasesIn(home))) {
    if (!kept.has(name)) rmSync(join(releasesIn(home), name), { recursive: true, force: true });
  }
}

/** Keeps the last backups, with the backup that comes. */
function removeOldBackups(folder: string): void {
  if (!existsSync(folder)) return;
  const backups = readdirSync(folder).filter((name) => name.startsWith(BACKUP_PREFIX));
  for (const name of backups.sort().slice(0, -(KEPT_BACKUPS - 1)))
    rmSync(join(folder, name), { force: true });
}
