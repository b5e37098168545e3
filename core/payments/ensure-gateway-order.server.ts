import { and, eq, isNull } from "drizzle-orm";
import { prepareWrite, valueFor, valuesFor } from "#db/prepared-statement.ts";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";
import type { Context } from "../context.ts";
import { findOrder } from "./find-order.server.ts";
import { orderTransition } from "./machines/order-machine.ts";
import { GatewayError, type GatewayOrder, type PaymentGateway } from "./payment-gateway.ts";

/**
 * Makes sure that a payment order exists at the gateway and that its id there is stored. An order whose response was
 * lost (a crash, a timeout) is found by its receipt. When two requests create one each, the buyer gets the one that was
 * stored first. The other is never shown, so nobody can pay it.
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
  const existing = options.mayExist ? await gateway.findOrderByReceipt(order.receipt) : null;
  const created = existing ?? (await createOrFindOrder(gateway, order));
  const state = orderTransition(order.state, "created-at-gateway") ?? order.state;
  const stored = await storeGatewayOrderId(ctx.db, {
    id: order.id,
    gatewayOrderId: created.orderId,
    state,
    updatedAt: ctx.clock.now(),
  });
  if (stored.length === 1) return created.orderId;
  const first = await findOrder(ctx.db, { purchaseId: order.purchaseId });
  if (!first?.gatewayOrderId) throw new Error(`order ${order.id} has no id at the gateway`);
  return first.gatewayOrderId;
}

const storeGatewayOrderId = prepareWrite("store-gateway-order-id", paymentOrders, (executor) =>
  executor
    .update(paymentOrders)
    .set(valuesFor(paymentOrders, ["gatewayOrderId", "state", "updatedAt"]))
    .where(and(eq(paymentOrders.id, valueFor(paymentOrders.id, "id")), isNull(paymentOrders.gatewayOrderId)))
    .returning({ id: paymentOrders.id }),
);

async function createOrFindOrder(gateway: PaymentGateway, order: PaymentOrder): Promise<GatewayOrder> {
  try {
    return await gateway.createOrder({
      receipt: order.receipt,
      amountPaise: order.amountPaise,
      currency: order.currency,
    });
  } catch (error) {
    // A gateway that requires unique receipts refuses a receipt that has an order already. After a timeout there is no
    // second request, because the buyer is waiting.
    if (!(error instanceof GatewayError) || error.retryable) throw error;
    const found = await gateway.findOrderByReceipt(order.receipt).catch(() => null);
    if (found) return found;
    throw error;
  }
}
