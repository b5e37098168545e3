import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";

/** What every function of the sandbox needs. */
export interface SandboxContext {
  db: Database;
  clock: Clock;
  /** Called after the commit of a transaction that queued webhooks. */
  onQueued: () => void;
}
