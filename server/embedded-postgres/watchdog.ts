import { setTimeout as delay } from "node:timers/promises";
import { type Cluster, findPostmaster, startPostmaster } from "./postmaster.ts";
import { disconnect, type SessionLock } from "./session-lock.ts";
import { DataDirInUseError, explainFailure, StartupError } from "./startup-error.ts";

const RETRY_DELAYS_MS = [0, 500, 2_000, 4_000];
const WINDOW_MS = 60_000;
const RESTARTS_IN_WINDOW = 5;

/**
 * Restarts the database server when it ends, and acquires the session lock again. Notices the end by the connection
 * that holds the lock, which closes with the server.
 *
 * @param options.acquireLock connects and acquires the lock again
 * @param options.onFatal called once when the restart fails or the server ends again and again
 * @returns stops the watchdog; it starts nothing afterwards
 */
export function startWatchdog(options: {
  cluster: Cluster;
  lock: SessionLock;
  acquireLock: () => Promise<SessionLock>;
  log: (line: string) => void;
  onFatal: (error: Error) => void;
}): () => Promise<void> {
  const { cluster, log } = options;
  const stopping = new AbortController();
  const restarts: number[] = [];
  let lock = options.lock;

  async function restart(): Promise<void> {
    let lastError: unknown;
    for (const delayMs of RETRY_DELAYS_MS) {
      await delay(delayMs, undefined, { signal: stopping.signal });
      try {
        if (findPostmaster(cluster.folder) === undefined) await startPostmaster(cluster);
        lock = await options.acquireLock();
        return;
      } catch (error) {
        if (error instanceof DataDirInUseError) throw error;
        lastError = error;
      }
    }
    throw explainFailure(lastError, cluster.home);
  }

  async function watch(): Promise<void> {
    for (;;) {
      await lock.lost;
      if (stopping.signal.aborted) return;
      log("The database stopped; starting it again.");
      const now = Date.now();
      restarts.splice(0, restarts.length, ...restarts.filter((time) => time > now - WINDOW_MS), now);
      if (restarts.length > RESTARTS_IN_WINDOW) {
        throw new StartupError(
          `The database stopped ${restarts.length} times in a minute: ${cluster.logFile} tells why.`,
        );
      }
      await restart();
      if (stopping.signal.aborted) return disconnect(lock.client);
      log("The database is back.");
    }
  }

  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) options.onFatal(explainFailure(error, cluster.home));
  });

  return async () => {
    stopping.abort();
    await disconnect(lock.client);
    await watching;
  };
}
