import { type ClusterRecord, readRecord } from "./cluster.ts";
import { type Cluster, findPostmaster, stopPostmaster } from "./postmaster.ts";
import { acquireSessionLock, disconnect } from "./session-lock.ts";
import { DataDirInUseError } from "./startup-error.ts";

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
