/** Each job is an operation that scans our own rows and may run again at any time. */
export type JobName =
  | "reconcile-orders"
  | "process-webhook-events"
  | "process-refunds"
  | "expire-holds"
  | "send-mail"
  | "audit-ledger"
  | "tell-owner"
  | "purge-expired"
  | "recount-stock";

export interface Jobs {
  /**
   * Runs `name` soon in this process, without waiting; call it after the commit that made the work. Triggers during a run
   * become one more run after it. Without a trigger the work waits for the next run, a minute at most.
   */
  triggerSoon(name: JobName): void;
}
