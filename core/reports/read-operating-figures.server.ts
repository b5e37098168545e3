import { sql } from "drizzle-orm";
import { z } from "zod";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { gatewayEvents, paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { testPassesCount } from "../entitlements/test-passes.ts";
import { MONEY_WATCH_KEY, moneyWatch } from "./money-findings.ts";
import { realOrders } from "./money-queries.server.ts";

const whole = z.coerce.number().int();

const figures = z.object({
  /** What the last look at the books found; null before the first one. */
  moneyWatch: moneyWatch.nullable().catch(null),
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

export type OperatingFigures = z.output<typeof figures>;

/**
 * What an operator watches, as it is now, in one statement.
 *
 * @throws DomainError forbidden
 */
export async function readOperatingFigures(ctx: Context): Promise<OperatingFigures> {
  requireSystem(ctx);
  const { rows } = await ctx.db.execute(sql`
    select
      (select ${settings.value} from ${settings} where ${settings.key} = ${MONEY_WATCH_KEY}) as "moneyWatch",
      (select coalesce(jsonb_object_agg(status, number), '{}') from (
        select ${refunds.status} as status, count(*) as number
        from ${refunds}
        join ${paymentAttempts} on ${paymentAttempts.id} = ${refunds.attemptId}
        join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
        where ${realOrders(testPassesCount(ctx))} group by ${refunds.status}
      ) counted) as refunds,
      (select count(*) from ${paymentOrders} where ${paymentOrders.state} in ('creating', 'open')) as "openOrders",
      (select coalesce(greatest(extract(epoch from ${ctx.clock.now()}::timestamptz - min(${gatewayEvents.createdAt})), 0), 0)
        from ${gatewayEvents}
        where ${gatewayEvents.handledAt} is null and ${gatewayEvents.gateway} = ${ctx.ports.gateway?.name ?? null}
      ) as "oldestUnhandledEventSeconds",
      (select count(*) from ${mailMessages} where ${mailMessages.status} = 'queued') as "mailWaiting"`);
  return figures.parse(rows[0]);
}
