import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";

/** What every entry in the sandbox's books needs. */
export interface Books {
  db: Database;
  clock: Clock;
  /** Told after a transaction that queued webhooks has committed. */
  onQueued: () => void;
}
