import { setTimeout as delay } from "node:timers/promises";
import { type ClusterPlace, findPostmaster, startPostmaster } from "./postmaster.ts";
import { disconnect, type SessionLock } from "./session-lock.ts";
import { explainFailure, HeldError, StartupError } from "./startup-error.ts";

const PAUSES_MS = [0, 500, 2_000, 4_000];
const WINDOW_MS = 60_000;
const RESTARTS_IN_WINDOW = 5;

/**
 * Watches the session lock's connection, which ends with the database, and brings both back.
 * @param takeLock connects and takes the lock again
 * @param onFatal called once when it cannot be brought back, or goes down again and again
 * @returns ends the watch; afterwards nothing is started any more
 */
export function keepRunning(options: {
  place: ClusterPlace;
  lock: SessionLock;
  takeLock: () => Promise<SessionLock>;
  log: (line: string) => void;
  onFatal: (error: Error) => void;
}): () => Promise<void> {
  const { place, log } = options;
  const ending = new AbortController();
  const restarts: number[] = [];
  let lock = options.lock;

  async function bringBack(): Promise<void> {
    let last: unknown;
    for (const pause of PAUSES_MS) {
      await delay(pause, undefined, { signal: ending.signal });
      try {
        if (findPostmaster(place.cluster) === undefined) await startPostmaster(place);
        lock = await options.takeLock();
        return;
      } catch (error) {
        if (error instanceof HeldError) throw error;
        last = error;
      }
    }
    throw explainFailure(last, place.home);
  }

  async function watch(): Promise<void> {
    for (;;) {
      await lock.lost;
      if (ending.signal.aborted) return;
      log("The database stopped; starting it again.");
      const now = Date.now();
      restarts.splice(0, restarts.length, ...restarts.filter((time) => time > now - WINDOW_MS), now);
      if (restarts.length > RESTARTS_IN_WINDOW) {
        throw new StartupError(
          `The database stopped ${restarts.length} times in a minute: ${place.logFile} tells why.`,
        );
      }
      await bringBack();
      if (ending.signal.aborted) return disconnect(lock.client);
      log("The database is back.");
    }
  }

  const watching = watch().catch((error: unknown) => {
    if (!ending.signal.aborted) options.onFatal(explainFailure(error, place.home));
  });

  return async () => {
    ending.abort();
    await disconnect(lock.client);
    await watching;
  };
}
