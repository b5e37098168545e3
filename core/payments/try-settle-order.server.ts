import type { PaymentOrder } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { findOrder } from "./find-order.server.ts";
import { GatewayError } from "./payment-gateway.ts";
import type { SettlementResult } from "./record-payments.server.ts";
import { ConcurrentSettlementError, settleOrder } from "./settle-order.server.ts";

/** `unavailable`: the gateway did not answer, or answered with a fault of its own. `error`: it refused this request. */
export type AttemptedSettlement = SettlementResult | "unavailable" | "error";

/**
 * Settles the order of a purchase, if the gateway has one.
 *
 * @returns 'waiting' also when there is no order yet, or when it was polled within `minimumIntervalMs`
 */
export async function settleOrderOfPurchase(
  ctx: Context,
  purchaseId: string,
  options: { minimumIntervalMs: number } = { minimumIntervalMs: 0 },
): Promise<AttemptedSettlement> {
  const order = await findOrder(ctx.db, { purchaseId });
  if (!order?.gatewayOrderId) return "waiting";
  const sincePollMs = ctx.clock.now().getTime() - (order.polledAt?.getTime() ?? 0);
  if (sincePollMs < options.minimumIntervalMs) return "waiting";
  return (await trySettleOrder(ctx, order)).result;
}

/** Settles an order. An error of the gateway is returned as a result and not thrown. */
export async function trySettleOrder(
  ctx: Context,
  order: PaymentOrder,
): Promise<{ result: AttemptedSettlement; purchase: Purchase | null }> {
  try {
    return await settleOrder(ctx, { order });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn(
      { err: error, purchaseId: order.purchaseId },
      "the gateway could not be asked about an order",
    );
    const unavailable = error.retryable && !(error instanceof ConcurrentSettlementError);
    return { result: unavailable ? "unavailable" : "error", purchase: null };
  }
}
