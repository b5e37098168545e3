import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findRunningDatabase } from "./embedded-postgres/locate-cluster.ts";
import { refuseIfInUse, startEmbeddedPostgres } from "./embedded-postgres/start-embedded-postgres.ts";
import { DamagedDatabaseError } from "./embedded-postgres/startup-error.ts";
import { type Env, insecureAddresses, readEnv, unreadSettings } from "./env.ts";
import { createAskOwner } from "./start/ask-owner.ts";
import { BACKUP_HELP, type BackupArguments, readBackupArguments } from "./start/backup-arguments.ts";
import { checkDatabase, checkPort, checkVaultKeyFile, findFewOpenFiles, refuseRoot } from "./start/checks.ts";
import { DOCTOR_HELP, openForDoctor, readDoctorArguments } from "./start/doctor-setup.ts";
import { IMPORT_HELP, type ImportArguments, readImportArguments } from "./start/import-arguments.ts";
import { adviseRestore, listBackups } from "./start/list-backups.ts";
import { type Bundle, loadBundle, type ShopOptions, startVite } from "./start/load-bundle.ts";
import { describeFailure, type Shutdown, watchForShutdown, whenAborted } from "./start/shutdown.ts";

export type Task =
  | "start"
  | "dev"
  | "admin-reset"
  | "vault-rotate"
  | "keys-give-up"
  | "import"
  | "backup"
  | "restore"
  | "doctor";

/** Tasks that work beside a running shop, and start its database when it does not run. */
const BESIDE_A_SHOP: readonly Task[] = ["vault-rotate", "import", "backup"];

type Preparation = {
  /** The folder of the code that runs. The working directory is the folder that the shop was installed in. */
  readonly root: string;
  /** Builds the shop unless build/ is up to date. Throws when the signal fires. */
  readonly build: (signal: AbortSignal) => Promise<void>;
  /** Aborted when the shop has to end so that another release starts. */
  readonly replaced: AbortSignal;
  /** Called when the shop accepts requests. Not called for other tasks. */
  readonly onReady: () => void;
  /** The flags of the command line, such as --yes. */
  readonly flags: readonly string[];
};
type Database = Pick<ShopOptions, "databaseUrl" | "databaseDirectUrl"> & {
  stop(): Promise<void>;
  setOthersAside?(): Promise<void>;
};

// Longer than requests take. A shop that has not finished by then is cut off.
const DRAIN_LIMIT_MS = 30_000;
const DRAIN_LIMIT_AFTER_FAILURE_MS = 5_000;
/** A start that was asked to stop ends after this time, wherever it is: nothing is sold yet. */
const START_STOP_LIMIT_MS = 5_000;
/** The exit code of a start that may succeed later. bin/supervise.mjs has the same. */
const DATABASE_LOST_CODE = 75;
/** The exit code of a shop that ended so that other code starts. bin/supervise.mjs has the same. */
const REPLACED_CODE = 76;

/**
 * Runs the shop, or a task that needs its database, to its end.
 *
 * @returns the exit code; a failure has been printed on stderr
 */
export async function runTask(task: Task, preparation: Preparation): Promise<number> {
  const shutdown = watchForShutdown();
  preparation.replaced.addEventListener("abort", () => {
    console.log("Stopping, so that another version of the shop starts.");
    shutdown.request();
  });
  try {
    if (task === "doctor") return await runDoctor(preparation, shutdown);
    const env = readEnv();
    for (const warning of [...unreadSettings(), ...insecureAddresses(env)]) console.warn(warning);
    const few = task === "start" ? findFewOpenFiles() : null;
    if (few !== null) console.warn(`${few.detail} ${few.remedy} ${few.command}`);
    await perform(task, env, preparation, shutdown);
  } catch (error) {
    // An error after somebody asked to stop is a consequence of that, and is not reported. An import says what it has done.
    const isReport = error instanceof Error && ["ImportStoppedError", "BackupError"].includes(error.name);
    if (!shutdown.stop.aborted || isReport) shutdown.fail(error);
  } finally {
    shutdown.unwatch();
  }
  const failure = shutdown.failure();
  if (failure === undefined) return preparation.replaced.aborted ? REPLACED_CODE : 0;
  console.error(describeFailure(failure, { withStack: isDebugging() }));
  if (failure instanceof DamagedDatabaseError) {
    const { remedy, command = "" } = adviseRestore(readEnv().backupFolder, new Date());
    console.error(`${remedy} ${command}`);
  }
  return failure instanceof Error && failure.name === "DatabaseLostError" ? DATABASE_LOST_CODE : 1;
}

/** Works for a shop that cannot be started, too: its settings and its database may be wrong. @returns the exit code */
async function runDoctor(preparation: Preparation, shutdown: Shutdown): Promise<number> {
  const asked = readDoctorArguments(preparation.flags);
  if (asked === null) {
    console.log(DOCTOR_HELP);
    return 0;
  }
  // A shop that runs serves the build that is there, which may be older than the sources.
  if (!existsSync(join(preparation.root, "build", "server", "index.js")))
    await preparation.build(shutdown.stop);
  const { doctor } = await loadBundle(preparation.root, undefined);
  if (doctor === undefined) throw new Error("the server bundle has no doctor");
  const setup = await openForDoctor();
  try {
    // When it is asked to stop, it does not wait for a server that is silent.
    const isFine = await Promise.race([doctor({ ...setup, ...asked }), whenAborted(shutdown.stop)]);
    return isFine === true ? 0 : 1;
  } finally {
    await setup.stop();
  }
}

async function perform(
  task: Exclude<Task, "doctor">,
  env: Env,
  preparation: Preparation,
  shutdown: Shutdown,
): Promise<void> {
  const importing = task === "import" ? readImportArguments(preparation.flags) : null;
  if (task === "import" && importing === null) return console.log(IMPORT_HELP);
  const backup = isAboutBackups(task)
    ? readBackupArguments(task, preparation.flags, {
        folder: env.backupFolder,
        isEncrypted: env.backupPassphrase !== undefined,
        now: new Date(),
      })
    : null;
  if (isAboutBackups(task) && backup === null) return console.log(BACKUP_HELP[task]);
  if (backup?.isList)
    return console.log(
      listBackups(backup.path, { now: new Date(), isEncrypted: env.backupPassphrase !== undefined }).join(
        "\n",
      ),
    );
  if (task === "import" || isAboutBackups(task)) refuseRoot(env);
  // Before the port check: for a second start both fail, and this one gives the reason.
  if (task === "vault-rotate") checkVaultKeyFile(env);
  const mayBeRunning = env.databaseUrl !== undefined || BESIDE_A_SHOP.includes(task);
  if (!mayBeRunning) await refuseIfInUse(env.dataDir);
  if (task === "start" || task === "dev") await checkPort(env);
  const build = task === "dev" ? async () => undefined : preparation.build;
  const database = await buildAndOpen(build, () => openDatabase(task, env, shutdown), shutdown);
  try {
    if (!shutdown.stop.aborted)
      await withVite(task === "dev", (vite) =>
        useBundle(task, env, { ...database, ...preparation, importing, backup }, shutdown, vite),
      );
    // As the last step: until then the version of the shop that made it may run with it again.
    if (task === "restore" && !shutdown.stop.aborted) await database.setOthersAside?.();
  } finally {
    await database.stop();
  }
}

const isAboutBackups = (task: Task) => task === "backup" || task === "restore";

/** Opens the database during the build: both wait for the disk part of the time. */
async function buildAndOpen(
  build: Preparation["build"],
  open: () => Promise<Database>,
  shutdown: Shutdown,
): Promise<Database> {
  const abortBuild = new AbortController();
  const building = build(AbortSignal.any([abortBuild.signal, shutdown.stop]));
  const opening = open();
  const [built, opened] = await Promise.allSettled([
    building,
    opening.catch((error: unknown) => {
      abortBuild.abort();
      throw error;
    }),
  ]);
  if (opened.status === "rejected") throw opened.reason;
  if (built.status === "fulfilled") return opened.value;
  await opened.value.stop();
  throw built.reason;
}

async function openDatabase(task: Task, env: Env, shutdown: Shutdown): Promise<Database> {
  const { databaseUrl, databaseDirectUrl = databaseUrl } = env;
  if (databaseUrl === undefined || databaseDirectUrl === undefined) {
    const running = BESIDE_A_SHOP.includes(task) ? findRunningDatabase(env.dataDir) : undefined;
    if (running !== undefined) {
      return { databaseUrl: running, databaseDirectUrl: running, stop: async () => undefined };
    }
    const { url, stop, stopAndDiscard, setOthersAside } = await startEmbeddedPostgres({
      dataDir: env.dataDir,
      log: (line) => console.log(line),
      onFatal: shutdown.fail,
      allowsOtherMajor: task === "restore",
    });
    const shared = { databaseUrl: url, databaseDirectUrl: url, setOthersAside };
    // A start would make a new shop of the empty database that a refused restore leaves.
    return { ...shared, stop: task === "restore" ? stopAndDiscard : stop };
  }
  await checkDatabase("DATABASE_URL", databaseUrl);
  if (databaseDirectUrl !== databaseUrl) await checkDatabase("DATABASE_DIRECT_URL", databaseDirectUrl);
  return { databaseUrl, databaseDirectUrl, stop: async () => undefined };
}

async function withVite(
  isEnabled: boolean,
  use: (vite: ShopOptions["viteDevServer"]) => Promise<void>,
): Promise<void> {
  if (!isEnabled) return use(undefined);
  const vite = await startVite();
  try {
    await use(vite);
  } finally {
    await vite.close();
  }
}

async function useBundle(
  task: Exclude<Task, "doctor">,
  env: Env,
  {
    root,
    databaseUrl,
    databaseDirectUrl,
    onReady,
    flags,
    importing,
    backup,
  }: Database &
    Pick<Preparation, "root" | "onReady" | "flags"> & {
      importing: ImportArguments | null;
      backup: BackupArguments | null;
    },
  shutdown: Shutdown,
  viteDevServer: ShopOptions["viteDevServer"],
): Promise<void> {
  const bundle = await loadBundle(root, viteDevServer);
  const options: ShopOptions = {
    root,
    env,
    databaseUrl,
    databaseDirectUrl,
    embedded: env.databaseUrl === undefined,
    onReady,
    onFatal: shutdown.fail,
    handleUncaughtErrorsWith: shutdown.handleUncaughtErrorsWith,
    askOwner: createAskOwner(importing === null && backup === null ? flags : []),
    stop: shutdown.stop,
    import: importing,
    backup,
    ...(viteDevServer && { viteDevServer }),
  };
  if (task === "start" || task === "dev") return runShop(bundle, options, shutdown);
  const runs = {
    "admin-reset": bundle.resetAdmin,
    "vault-rotate": bundle.rotateVault,
    "keys-give-up": bundle.giveUpKeys,
    import: bundle.importShop,
    backup: bundle.backUp,
    restore: bundle.restore,
  };
  const run = runs[task];
  if (run === undefined) throw new Error(`the server bundle has no ${task}`);
  await run(options);
}

async function runShop(bundle: Bundle, options: ShopOptions, shutdown: Shutdown): Promise<void> {
  const forced = whenAborted(shutdown.force);
  const starting = bundle.startShop(options);
  // It may fail after nobody waits for it any more.
  starting.catch(() => undefined);
  const givenUp = whenAborted(shutdown.stop).then(() =>
    delay(START_STOP_LIMIT_MS, undefined, { ref: false }),
  );
  const shop = await Promise.race([starting, forced, givenUp]);
  if (shop === undefined) return;
  await whenAborted(shutdown.stop);
  const limit = shutdown.failure() === undefined ? DRAIN_LIMIT_MS : DRAIN_LIMIT_AFTER_FAILURE_MS;
  await Promise.race([shop.stop(), forced, delay(limit, undefined, { ref: false })]);
}

/** False when the settings cannot be read. */
function isDebugging(): boolean {
  try {
    return ["debug", "trace"].includes(readEnv().logLevel);
  } catch {
    return false;
  }
}
