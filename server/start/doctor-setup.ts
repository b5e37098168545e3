import { existsSync } from "node:fs";
import { join } from "node:path";
import { findBinaries } from "../embedded-postgres/binaries.ts";
import { clusterHome, findOtherCluster, findRunningDatabase } from "../embedded-postgres/locate-cluster.ts";
import { startEmbeddedPostgres } from "../embedded-postgres/start-embedded-postgres.ts";
import { DamagedDatabaseError } from "../embedded-postgres/startup-error.ts";
import { ConfigurationError, type Env, readEnv } from "../env.ts";
import { checkDatabase, findDatabaseFault } from "./checks.ts";
import { splitArguments } from "./command-arguments.ts";
import { adviseRestore } from "./list-backups.ts";

export const DOCTOR_HELP = `Checks the shop and its machine, and says what is wrong and how to mend it. It changes nothing of the shop.

  npm run doctor [-- --json]

  --json  prints the report as JSON, for monitoring: npm run --silent doctor -- --json

Run it as the user of the shop, with the settings of the shop (DATA_DIR or DATABASE_URL and the others). The shop may be
running. The command ends with code 1 when a check has failed; warnings do not count. Admin → Health shows the same checks.`;

/** The arguments of `npm run doctor`. */
export interface DoctorArguments {
  isJson: boolean;
}

/** @returns null when the help is asked for @throws ConfigurationError */
export function readDoctorArguments(args: readonly string[]): DoctorArguments | null {
  const split = splitArguments(args, { flags: ["--json"], one: "thing" });
  if (split === null) return null;
  if (split.path !== undefined)
    throw new ConfigurationError(`The argument ${split.path} is unknown, and nothing was changed.`);
  return { isJson: split.flags.has("--json") };
}

/** Why the database of the settings cannot be used, and what the owner can do: the texts of a verdict. */
export interface DatabaseProblem {
  detail: string;
  remedy: string;
  command?: string;
}

/** The shop of the settings, as far as it can be found. */
export interface DoctorSetup {
  /** The settings, or why they cannot be read. */
  env: Env | { problem: string };
  /** Its database, which stays open until `stop`; null without settings. */
  database: { url: string } | { problem: DatabaseProblem } | null;
}

/**
 * Reads the settings and finds the database of the shop. Starts the embedded database when it does not run, and makes no new one.
 * Does not throw: what is wrong is a part of the result.
 *
 * @param source the environment; the process's own unless given
 * @returns the setup, and `stop`, which stops the embedded database when it was started here
 */
export async function openForDoctor(
  source?: NodeJS.ProcessEnv,
): Promise<DoctorSetup & { stop(): Promise<void> }> {
  const stop = async () => undefined;
  let env: Env;
  try {
    env = readEnv(source);
  } catch (error) {
    return { env: { problem: messageOf(error) }, database: null, stop };
  }
  const { databaseUrl, databaseDirectUrl } = env;
  if (databaseUrl === undefined) return { env, ...(await openEmbedded(env)) };
  try {
    await checkDatabase("DATABASE_URL", databaseUrl);
    if (databaseDirectUrl !== undefined && databaseDirectUrl !== databaseUrl)
      await checkDatabase("DATABASE_DIRECT_URL", databaseDirectUrl);
    return { env, database: { url: databaseUrl }, stop };
  } catch (error) {
    const remedy =
      "Check that the database server runs, and that the address in the settings is right: host, port, user, password and name.";
    return {
      env,
      database: { problem: findDatabaseFault(error) ?? { detail: messageOf(error), remedy } },
      stop,
    };
  }
}

async function openEmbedded({
  dataDir,
  backupFolder,
}: Pick<Env, "dataDir" | "backupFolder">): Promise<
  Pick<DoctorSetup, "database"> & { stop(): Promise<void> }
> {
  const without = (problem: DatabaseProblem) => ({ database: { problem }, stop: async () => undefined });
  try {
    const running = findRunningDatabase(dataDir);
    if (running !== undefined) return { database: { url: running }, stop: async () => undefined };
    const missing = explainMissingCluster(dataDir);
    if (missing !== null) return without(missing);
    const { url, stop } = await startEmbeddedPostgres({
      dataDir,
      log: () => undefined,
      // The check of the database then says that it does not answer.
      onFatal: () => undefined,
    });
    return { database: { url }, stop };
  } catch (error) {
    if (error instanceof DamagedDatabaseError)
      return without({ detail: error.message, ...adviseRestore(backupFolder, new Date()) });
    return without({
      detail: messageOf(error),
      remedy: "docs/operations.md says what to do, under “When the shop does not start”.",
    });
  }
}

/** Why no embedded database of this version can be started; null: it can. A start of the shop would make a new one. */
function explainMissingCluster(dataDir: string): DatabaseProblem | null {
  const { major } = findBinaries();
  const other = findOtherCluster(dataDir, major);
  if (other !== null)
    return {
      detail: `The database was made by PostgreSQL ${other.major}, which another version of the shop had. This one has PostgreSQL ${major}.`,
      remedy: "Make a backup with that version (npm run backup), then restore it with this one.",
      command: "npm run restore -- FILE",
    };
  const home = clusterHome(dataDir);
  // The database is in another folder: starting it says what is wrong with that.
  if (home !== null && existsSync(join(home, String(major)))) return null;
  if (home !== null && existsSync(join(dataDir, "pg", "elsewhere.json"))) return null;
  return {
    detail: `There is no database in DATA_DIR (${dataDir}): no shop has been started with it.`,
    remedy:
      "If this is the right folder, start the shop once, which makes the database. Otherwise correct DATA_DIR.",
    command: "npm start",
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
