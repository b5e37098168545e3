import { sql } from "drizzle-orm";
import { z } from "zod";
import { mailMessages, settings } from "#db/tables/operations.ts";
import {
  paymentAttempts,
  paymentOrders,
  refunds,
  unknownPayments,
  webhookEvents,
} from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import { BACKUPS_KEY } from "../backups/backup-record.ts";
import { RESTORED_BACKUP_KEY } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "../pass-validity.server.ts";
import { isInMode } from "./audit-ledger.server.ts";
import { LEDGER_AUDIT_KEY, ledgerAuditSchema } from "./discrepancies.ts";

const count = z.coerce.number().int();

const statisticsRow = z.object({
  /** The result of the last ledger audit; null before the first one. */
  ledgerAudit: ledgerAuditSchema.nullable().catch(null),
  refunds: z.object({
    requested: count.default(0),
    processing: count.default(0),
    processed: count.default(0),
    failed: count.default(0),
    "charged-back": count.default(0),
  }),
  /** Orders that a payment may still arrive for. */
  openOrders: count,
  /** The age of the oldest webhook event that is not processed; 0 when all are. */
  oldestUnprocessedEventSeconds: z.coerce.number(),
  mailWaiting: count,
  /** Unix time of the last verified backup; 0: there is none. */
  backupVerifiedSeconds: z.coerce.number(),
  /** The shop was restored from a backup, and no admin has confirmed it. */
  isUnconfirmedRestore: z.boolean(),
  /** Payments whose purchase is missing from the backup, and that are neither assigned nor refunded. */
  unknownPayments: count,
});

export type OperatingStatistics = z.output<typeof statisticsRow>;

/**
 * The statistics for the metrics, read in one statement.
 *
 * @throws DomainError forbidden
 */
export async function readOperatingStatistics(ctx: Context): Promise<OperatingStatistics> {
  requireSystem(ctx);
  const { rows } = await ctx.db.execute(sql`
    select
      (select ${settings.value} from ${settings} where ${settings.key} = ${LEDGER_AUDIT_KEY}) as "ledgerAudit",
      (select coalesce(jsonb_object_agg(status, number), '{}') from (
        select ${refunds.status} as status, count(*) as number
        from ${refunds}
        join ${paymentAttempts} on ${paymentAttempts.id} = ${refunds.attemptId}
        join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
        where ${isInMode(acceptsTestPasses(ctx))} group by ${refunds.status}
      ) refunds_by_status) as refunds,
      (select count(*) from ${paymentOrders} where ${paymentOrders.state} in ('creating', 'open')) as "openOrders",
      (select coalesce(greatest(extract(epoch from ${ctx.clock.now()}::timestamptz - min(${webhookEvents.createdAt})), 0), 0)
        from ${webhookEvents}
        where ${webhookEvents.processedAt} is null and ${webhookEvents.gateway} = ${ctx.ports.gateway?.name ?? null}
      ) as "oldestUnprocessedEventSeconds",
      (select count(*) from ${mailMessages} where ${mailMessages.status} = 'queued') as "mailWaiting",
      coalesce((select extract(epoch from (${settings.value} -> 'verified' ->> 'at')::timestamptz)
        from ${settings} where ${settings.key} = ${BACKUPS_KEY}), 0) as "backupVerifiedSeconds",
      exists (select from ${settings} where ${settings.key} = ${RESTORED_BACKUP_KEY}
        and ${settings.value} ->> 'confirmedAt' is null) as "isUnconfirmedRestore",
      (select count(*) from ${unknownPayments} where state in ('waiting', 'refunding')
        and (not ${unknownPayments.testMode} or ${acceptsTestPasses(ctx)})) as "unknownPayments"`);
  return statisticsRow.parse(rows[0]);
}
