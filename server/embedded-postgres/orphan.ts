import { type ClusterRecord, readRecord } from "./cluster.ts";
import { type ClusterPlace, findPostmaster, stopPostmaster } from "./postmaster.ts";
import { disconnect, takeSessionLock } from "./session-lock.ts";
import { HeldError } from "./startup-error.ts";

const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Stops a server whose shop was killed. A server that a living shop uses is left alone.
 * @returns whether there was one
 * @throws HeldError naming the shop that uses it
 */
export async function stopOrphan(place: ClusterPlace, dataDir: string): Promise<boolean> {
  const postmaster = findPostmaster(place.cluster);
  if (postmaster === undefined) return false;
  await refuseIfUsed(place.cluster, readRecord(place.cluster), postmaster.port, dataDir);
  await stopPostmaster(place);
  return true;
}

async function refuseIfUsed(
  cluster: string,
  record: ClusterRecord,
  port: number,
  dataDir: string,
): Promise<void> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  const isUp = () => Date.now() < deadline && findPostmaster(cluster) !== undefined;
  try {
    const { client } = await takeSessionLock({ port, password: record.superuserPassword, dataDir }, isUp);
    await disconnect(client);
  } catch (error) {
    if (error instanceof HeldError) throw error;
    // One that does not answer has nobody connected who could hold the lock.
  }
}
