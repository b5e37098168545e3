import type { Executor } from "#db/database.ts";

/** Every job is a scan over our own rows that can be run again at any time; the queue only says "now". */
export type JobName =
  | "end-holds"
  | "reconcile-orders"
  | "carry-out-refunds"
  | "handle-gateway-events"
  | "send-mail"
  | "watch-money"
  | "purge-expired";

export interface Jobs {
  /**
   * Asks for a run of `name`, in the transaction that made work for it: survives a crash.
   */
  enqueue(executor: Executor, name: JobName): Promise<void>;
  /** Runs `name` soon in this process, without waiting; runs asked for while one is under way become one more. */
  triggerSoon(name: JobName): void;
}
