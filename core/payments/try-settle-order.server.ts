import type { PaymentOrder } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { findOrder } from "./find-order.server.ts";
import { GatewayError } from "./payment-gateway.ts";
import { ConcurrentSettlementError, type SettlementResult, settleOrder } from "./settle-order.server.ts";

/**
 * Settles the order of a purchase if it has one.
 *
 * @returns 'waiting' also when there is no order yet; 'unanswered' when the gateway would not speak of this one, 'silent' when it is in trouble
 */
export async function settleOrderOfPurchase(
  ctx: Context,
  purchaseId: string,
  options: { unlessAskedWithinMs: number } = { unlessAskedWithinMs: 0 },
): Promise<SettlementResult | "error" | "unavailable"> {
  const order = await findOrder(ctx.db, { purchaseId });
  if (!order?.gatewayOrderId) return "waiting";
  const sinceAsked = ctx.clock.now().getTime() - (order.polledAt?.getTime() ?? 0);
  if (sinceAsked < options.unlessAskedWithinMs) return "waiting";
  return (await trySettleOrder(ctx, order)).result;
}

/** Settles an order; a gateway that does not answer is an answer too. */
export async function trySettleOrder(
  ctx: Context,
  order: PaymentOrder,
): Promise<{ result: SettlementResult | "error" | "unavailable"; purchase: Purchase | null }> {
  try {
    return await settleOrder(ctx, { order });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error, purchaseId: order.purchaseId }, "the gateway could not be asked");
    const silent = error.retryable && !(error instanceof ConcurrentSettlementError);
    return { result: silent ? "unavailable" : "error", purchase: null };
  }
}
