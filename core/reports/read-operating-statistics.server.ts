import { sql } from "drizzle-orm";
import { z } from "zod";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds, webhookEvents } from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "../entitlements/test-passes.ts";
import { LEDGER_AUDIT_KEY, ledgerAudit } from "./discrepancies.ts";
import { realOrders } from "./discrepancy-queries.server.ts";

const whole = z.coerce.number().int();

const figures = z.object({
  /** What the last look at the books found; null before the first one. */
  ledgerAudit: ledgerAudit.nullable().catch(null),
  refunds: z.object({
    requested: whole.default(0),
    processing: whole.default(0),
    processed: whole.default(0),
    failed: whole.default(0),
  }),
  /** Orders that may still bring money. */
  openOrders: whole,
  /** How long the oldest webhook not handled yet has waited; 0 when none waits. */
  oldestUnhandledEventSeconds: z.coerce.number(),
  mailWaiting: whole,
});

export type OperatingStatistics = z.output<typeof figures>;

/**
 * What an operator watches, as it is now, in one statement.
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
        where ${realOrders(acceptsTestPasses(ctx))} group by ${refunds.status}
      ) counted) as refunds,
      (select count(*) from ${paymentOrders} where ${paymentOrders.state} in ('creating', 'open')) as "openOrders",
      (select coalesce(greatest(extract(epoch from ${ctx.clock.now()}::timestamptz - min(${webhookEvents.createdAt})), 0), 0)
        from ${webhookEvents}
        where ${webhookEvents.processedAt} is null and ${webhookEvents.gateway} = ${ctx.ports.gateway?.name ?? null}
      ) as "oldestUnhandledEventSeconds",
      (select count(*) from ${mailMessages} where ${mailMessages.status} = 'queued') as "mailWaiting"`);
  return figures.parse(rows[0]);
}
