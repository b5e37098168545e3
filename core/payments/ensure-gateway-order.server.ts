import { and, eq, isNull } from "drizzle-orm";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";
import type { Context } from "../context.ts";
import { findOrder } from "./find-order.server.ts";
import { GatewayError, type GatewayOrder, type PaymentGateway } from "./payment-gateway.ts";

/**
 * Makes sure that an order of ours exists at the gateway and that we know its id. An order whose answer was lost (a
 * crash, a timeout) is found by its receipt. When two requests create one each, the first stored is the one buyers
 * see; the other is never shown to anybody and so never paid.
 *
 * @throws GatewayError
 */
export async function ensureGatewayOrder(
  ctx: Context,
  gateway: PaymentGateway,
  order: PaymentOrder,
  options: { mayExist: boolean },
): Promise<string> {
  if (order.gatewayOrderId) return order.gatewayOrderId;
  const known = options.mayExist ? await gateway.findOrderByReceipt(order.receipt) : null;
  const made = known ?? (await createOrFind(gateway, order));
  const stored = await ctx.db
    .update(paymentOrders)
    .set({ gatewayOrderId: made.orderId, state: "open" })
    .where(and(eq(paymentOrders.id, order.id), isNull(paymentOrders.gatewayOrderId)))
    .returning({ id: paymentOrders.id });
  if (stored.length === 1) return made.orderId;
  const winner = await findOrder(ctx.db, { purchaseId: order.purchaseId });
  if (!winner?.gatewayOrderId) throw new Error(`order ${order.id} lost its gateway order`);
  return winner.gatewayOrderId;
}

async function createOrFind(gateway: PaymentGateway, order: PaymentOrder): Promise<GatewayOrder> {
  try {
    return await gateway.createOrder({
      receipt: order.receipt,
      amountPaise: order.amountPaise,
      currency: order.currency,
    });
  } catch (error) {
    // A receipt that is used already is refused by gateways that keep them unique. One that did not answer was asked for
    // long enough: the buyer waits.
    if (!(error instanceof GatewayError) || error.retryable) throw error;
    const found = await gateway.findOrderByReceipt(order.receipt).catch(() => null);
    if (found) return found;
    throw error;
  }
}
