import { join } from "node:path";
import { readRecord, shopDatabaseUrl } from "./cluster.ts";
import { runningClusterFolder } from "./locate-cluster.ts";
import { findLockHolder } from "./lock-file.ts";

/**
 * The address of the database that a running shop has started for this DATA_DIR; undefined when no shop runs there.
 *
 * @throws StartupError
 */
export function findRunningDatabase(dataDir: string): string | undefined {
  if (findLockHolder(join(dataDir, "pg")) === undefined) return undefined;
  return shopDatabaseUrl(readRecord(runningClusterFolder(dataDir)));
}
