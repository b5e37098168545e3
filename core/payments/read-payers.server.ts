import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { type PaymentOrder, paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { changed } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import { NO_PAYER } from "../vault/seal-payer.ts";
import { GatewayError } from "./payment-gateway.ts";
import { settleOrder } from "./settle-order.server.ts";

/** Few, because the gateway limits the requests of a minute, and buyers come first. */
const BATCH = 50;
const CONCURRENCY = 2;

/**
 * Reads the payments of older versions again, the newest first, because those kept neither fee nor payer: settles the orders of
 * 50 of them a minute. Each is read once, also one about which the gateway refuses to answer. Without an answer the run
 * ends, and the rest waits.
 *
 * @returns how many payments were read
 * @throws DomainError forbidden
 */
export async function readPayers(ctx: Context): Promise<{ read: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { read: 0 };
  const unread = await ctx.db
    .select({ order: paymentOrders, attemptId: paymentAttempts.id })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(isNull(paymentAttempts.payerHashes))
    .orderBy(desc(paymentAttempts.id))
    .limit(BATCH);
  const orders = new Map<string, PaymentOrder>(unread.map(({ order }) => [order.id, order]));
  const asked: string[] = [];
  await forEachWithConcurrency(
    [...orders.values()],
    CONCURRENCY,
    async (order) => {
      try {
        await settleOrder(ctx, { order });
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (error.retryable) return false;
        ctx.log.warn({ err: error, orderId: order.id }, "the payer of an order cannot be read");
      }
      asked.push(order.id);
      return true;
    },
    (error, order) => ctx.log.error({ err: error, orderId: order.id }, "a payer could not be read"),
  );
  // Payments that the gateway has not reported, such as payments of another gateway.
  await ctx.db
    .update(paymentAttempts)
    .set({ ...NO_PAYER, updatedAt: sql`${paymentAttempts.updatedAt}` })
    .where(and(inArray(paymentAttempts.orderId, asked), isNull(paymentAttempts.payerHashes)));
  changed(ctx.db, paymentAttempts);
  const read = unread.filter(({ order }) => asked.includes(order.id)).length;
  if (read > 0) ctx.log.info({ read }, "payers of older payments read");
  return { read };
}
