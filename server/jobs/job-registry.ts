import { recountStocks } from "#core/catalog/code-stock.server.ts";
import { expireHolds } from "#core/checkout/end-checkout.server.ts";
import type { Context } from "#core/context.ts";
import { tellOfMissingCredentials } from "#core/credentials/tool-credentials.server.ts";
import { purgeExpired } from "#core/housekeeping/purge-expired.server.ts";
import type { JobName } from "#core/jobs.ts";
import { sendQueuedMail } from "#core/mail/send-queued-mail.server.ts";
import { processRefunds } from "#core/payments/process-refunds.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { processWebhookEvents } from "#core/payments/webhook-events.server.ts";
import { auditLedger } from "#core/reports/audit-ledger.server.ts";

/** Besides its triggers, each job runs every minute. */
export interface Job {
  /** Whether the job also runs at start-up and after an outage of the database. */
  readonly catchesUp: boolean;
  /** Milliseconds between a trigger and the run, so that one run does the work of many triggers. */
  readonly delayMs?: number;
  /** The operation, called with a system context. */
  run(ctx: Context): Promise<unknown>;
}

/** Every job of the shop. The runner and the catch-up read this table. */
export const JOBS: Readonly<Record<JobName, Job>> = {
  // The catch-up reconciles more orders than those that are due, so it calls the operation itself.
  "reconcile-orders": {
    catchesUp: false,
    run: (ctx) => reconcileOrders(ctx, { all: false }),
  },
  // In this time the buyer's browser has usually confirmed the payment, and its events need no request to the gateway.
  "process-webhook-events": {
    catchesUp: true,
    delayMs: 300,
    run: processWebhookEvents,
  },
  "process-refunds": { catchesUp: true, run: processRefunds },
  "expire-holds": { catchesUp: true, run: expireHolds },
  // In this time the transaction that wrote the mail has usually committed.
  "send-mail": { catchesUp: true, delayMs: 300, run: sendQueuedMail },
  "audit-ledger": { catchesUp: false, run: auditLedger },
  "tell-owner": { catchesUp: false, run: tellOfMissingCredentials },
  "recount-stock": { catchesUp: false, run: recountStocks },
  "purge-expired": { catchesUp: false, run: purgeExpired },
};

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

export const JOB_NAMES: readonly JobName[] = Object.keys(JOBS).filter(isJobName);
