import type { Executor } from "#db/database.ts";

/** Each job is an operation that scans our own rows and may run again at any time; a queue entry only triggers it. */
export type JobName =
  | "reconcile-orders"
  | "process-webhook-events"
  | "process-refunds"
  | "expire-holds"
  | "send-mail"
  | "audit-ledger"
  | "compact-counters"
  | "tell-owner"
  | "purge-expired"
  | "recount-stock";

export interface Jobs {
  /** Adds a run of `name` to the queue, in the transaction that made the work for it: the entry survives a crash. */
  enqueue(executor: Executor, name: JobName): Promise<void>;
  /** Runs `name` soon in this process, without waiting. Triggers during a run become one more run after it. */
  triggerSoon(name: JobName): void;
}
