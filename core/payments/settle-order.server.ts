import type { PaymentOrder } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { findOrder } from "./find-order.server.ts";
import { GatewayError, type GatewayPayment, type PaymentGateway } from "./payment-gateway.ts";
import { recordPayments, StaleGatewayResponseError } from "./record-payments.server.ts";

export type SettlementResult =
  /** `refunded`: money arrived and goes back. `waiting`: no money yet. */
  "pass" | "refunded" | "waiting" | "unknown-order";

export interface Settlement {
  result: SettlementResult;
  /** As it is now; null when nothing was heard of money. */
  purchase: Purchase | null;
}

/**
 * The one way a pass comes to life by money. Callback, webhook, reconciler and start-up all call it, at any time and
 * as often as they like: it asks the gateway what was paid for an order, accounts for each captured payment once, and
 * captures an authorised one when its purchase can become a pass.
 *
 * Internal: callers authorise. @throws GatewayError when the gateway cannot be asked
 */
export async function settleOrder(
  ctx: Context,
  input: { gatewayOrderId: string } | { order: PaymentOrder },
): Promise<Settlement> {
  const { gateway } = ctx.ports;
  const unknown: Settlement = { result: "unknown-order", purchase: null };
  if (!gateway) return unknown;
  const order =
    "order" in input
      ? input.order
      : await findOrder(ctx.db, { gateway: gateway.name, gatewayOrderId: input.gatewayOrderId });
  const gatewayOrderId = order?.gatewayOrderId;
  // The order of another gateway, or of its other mode, is not this one's to speak of.
  if (!gatewayOrderId || order.gateway !== gateway.name || order.testMode !== gateway.testMode)
    return unknown;
  for (let asked = 1, asOf: PaymentOrder | null = order; asOf && asked <= MOST_QUESTIONS; asked++) {
    const answered = await gateway.fetchOrderPayments(gatewayOrderId);
    // Money for another order is never this order's, whoever says so.
    const payments = answered.filter(({ orderId }) => orderId === gatewayOrderId);
    try {
      return await accountAndCapture(ctx, gateway, asOf, payments);
    } catch (error) {
      if (!(error instanceof StaleGatewayResponseError)) throw error;
      asOf = await findOrder(ctx.db, { purchaseId: order.purchaseId });
    }
  }
  throw new ConcurrentSettlementError();
}

const MOST_QUESTIONS = 3;

/** Asked as often as is sensible, and each time something else was booked before the answer. The gateway is well. */
export class ConcurrentSettlementError extends GatewayError {
  constructor() {
    super("Its answers overtook each other.", { retryable: true, httpStatus: 409 });
  }
}

/**
 * Accounts for what the gateway answered, and captures what is authorised and would become a pass, one payment after the
 * other, each accounted for before the next is looked at. One that cannot be captured does not stand in the way of the others.
 */
async function accountAndCapture(
  ctx: Context,
  gateway: PaymentGateway,
  order: PaymentOrder,
  answered: readonly GatewayPayment[],
): Promise<Settlement> {
  const tried = new Set<string>();
  let payments = answered;
  let accounted = await recordPayments(ctx, order, payments);
  for (;;) {
    const next = accounted.toCapture.find(({ paymentId }) => !tried.has(paymentId));
    if (!next) return { result: accounted.result, purchase: accounted.purchase };
    tried.add(next.paymentId);
    const captured = await capture(ctx, gateway, next);
    if (!captured) continue;
    payments = payments.map((payment) => (payment.paymentId === captured.paymentId ? captured : payment));
    accounted = await recordPayments(ctx, accounted.order, payments);
  }
}

/** @returns null when the gateway refused. @throws GatewayError when it did not answer */
async function capture(
  ctx: Context,
  gateway: PaymentGateway,
  { paymentId, amountPaise, currency }: GatewayPayment,
): Promise<GatewayPayment | null> {
  ctx.log.info({ paymentId }, "capturing an authorised payment");
  try {
    return await gateway.capturePayment({ paymentId, amountPaise, currency });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.retryable) throw error;
    ctx.log.error({ err: error, paymentId }, "an authorised payment cannot be captured");
    return null;
  }
}
