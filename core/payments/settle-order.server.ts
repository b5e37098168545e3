import type { PaymentOrder } from "#db/tables/payments.ts";
import type { AuthorisedContext } from "../authorise.ts";
import type { Context } from "../context.ts";
import { needsBalance } from "./paid-amount.ts";
import { isPaymentSettled } from "./payment-attempts.server.ts";
import {
  GatewayError,
  type GatewayPayment,
  type OrderBalance,
  type PaymentGateway,
} from "./payment-gateway.ts";
import { findOrder, resumePolls } from "./payment-orders.server.ts";
import {
  type Report,
  recordPayments,
  type Settlement,
  type SettlementResult,
  StaleGatewayResponseError,
} from "./record-payments.server.ts";

/**
 * Settles an order: asks the gateway what was paid for it, records each payment, gives every captured payment its outcome,
 * and captures an authorised one when its purchase can become a pass. A payment becomes a pass in no other way, except one
 * that a restored shop does not know and an admin assigns (`sellByHand`). Start, confirm, cancel, expire, webhook
 * events, reconciliation and start-up all call it, at any time and any number of times.
 *
 * @throws GatewayError when the gateway does not answer or refuses
 */
export async function settleOrder(
  ctx: AuthorisedContext,
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
  // The gateway has no orders of another gateway, and test mode and live mode have separate orders.
  if (!gatewayOrderId || order.gateway !== gateway.name || order.testMode !== gateway.testMode)
    return unknown;
  try {
    return await settleAtGateway(ctx, gateway, { ...order, gatewayOrderId });
  } catch (error) {
    // A payment was probably made, and nobody else would ask about an order whose polls have ended.
    if (error instanceof GatewayError && order.nextPollAt === null) await resumePolls(ctx, order);
    throw error;
  }
}

async function settleAtGateway(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  order: PaymentOrder & { gatewayOrderId: string },
): Promise<Settlement> {
  const { purchaseId, gatewayOrderId } = order;
  let current: PaymentOrder | null = order;
  for (let request = 1; current && request <= MAX_REQUESTS; request++) {
    // A payment for another order is never recorded for this one, whatever the response says.
    const payments = (await gateway.fetchOrderPayments(gatewayOrderId)).filter(
      (payment) => payment.gatewayOrderId === gatewayOrderId,
    );
    const { balance, unanswered } = await readBalance(ctx, gateway, order, payments);
    const readable = unanswered ? payments.filter((payment) => !needsBalance(order, payment)) : payments;
    try {
      const settlement = await recordAndCapture(ctx, gateway, {
        order: current,
        payments: readable,
        balance,
      });
      if (unanswered) throw unanswered;
      return settlement;
    } catch (error) {
      if (!(error instanceof StaleGatewayResponseError)) throw error;
      current = await findOrder(ctx.db, { purchaseId });
    }
  }
  throw new ConcurrentSettlementError();
}

const MAX_REQUESTS = 3;

/**
 * Reads how much of the order is paid, when a payment without an outcome is below its amount.
 *
 * @returns `unanswered`: the gateway's error. The payments that do not need the balance are recorded all the same
 */
async function readBalance(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  order: PaymentOrder & { gatewayOrderId: string },
  payments: readonly GatewayPayment[],
): Promise<{ balance: OrderBalance | null; unanswered?: GatewayError }> {
  for (const payment of payments) {
    if (!needsBalance(order, payment)) continue;
    if (await isPaymentSettled(ctx.db, payment.gatewayPaymentId)) continue;
    try {
      return { balance: await gateway.fetchOrderBalance(order.gatewayOrderId) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { balance: null, unanswered: error };
    }
  }
  return { balance: null };
}

/**
 * Each of the gateway's responses became stale, because others settled the order at the same time. The gateway is
 * available.
 */
class ConcurrentSettlementError extends GatewayError {
  constructor() {
    super("The order was settled by others at the same time.", { retryable: true, httpStatus: 409 });
  }
}

/**
 * Records the gateway's response. Captures the authorised payments that would become a pass, one after the other; each
 * result is recorded before the next capture. A payment that cannot be captured does not prevent the capture of the
 * others.
 */
async function recordAndCapture(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  { order, balance, ...fetched }: Omit<Report, "overlaps">,
): Promise<Settlement> {
  const tried = new Set<string>();
  let { payments } = fetched;
  let recorded = await recordPayments(ctx, order, payments, balance);
  for (;;) {
    const authorised = recorded.toCapture.find(({ gatewayPaymentId }) => !tried.has(gatewayPaymentId));
    if (!authorised) {
      const { result, purchase, paidPaise } = recorded;
      return { result, purchase, paidPaise };
    }
    tried.add(authorised.gatewayPaymentId);
    const captured = await capture(ctx, gateway, order, authorised);
    if (!captured) continue;
    const { gatewayPaymentId } = captured;
    payments = payments.map((payment) =>
      payment.gatewayPaymentId === gatewayPaymentId
        ? { ...captured, feePaise: captured.feePaise ?? payment.feePaise }
        : payment,
    );
    recorded = await recordPayments(ctx, recorded.order, payments, balance);
  }
}

/**
 * Captures the amount of the order: the gateway adds a fee that the buyer bears. With an offer, it is what the buyer pays.
 *
 * @returns null when the gateway refused. @throws GatewayError when it did not answer
 */
async function capture(
  ctx: Context,
  gateway: PaymentGateway,
  order: PaymentOrder,
  { gatewayPaymentId, currency, ...payment }: GatewayPayment,
): Promise<GatewayPayment | null> {
  const amountPaise = Math.min(payment.amountPaise, order.amountPaise);
  ctx.log.info({ paymentId: gatewayPaymentId }, "capturing an authorised payment");
  try {
    return await gateway.capturePayment({ gatewayPaymentId, amountPaise, currency });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.retryable) throw error;
    ctx.log.error({ err: error, paymentId: gatewayPaymentId }, "an authorised payment cannot be captured");
    return null;
  }
}

/** `unavailable`: the gateway did not answer, or answered with a fault of its own. `error`: it refused this request. */
export type AttemptedSettlement = SettlementResult | "unavailable" | "error";

/**
 * Settles the order of a purchase, if the gateway has one.
 *
 * @returns 'waiting' also when there is no order yet, or when it was polled within `minimumIntervalMs`
 */
export async function settleOrderOfPurchase(
  ctx: AuthorisedContext,
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
  ctx: AuthorisedContext,
  order: PaymentOrder,
): Promise<Omit<Settlement, "result"> & { result: AttemptedSettlement }> {
  try {
    return await settleOrder(ctx, { order });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error, purchaseId: order.purchaseId }, "an order could not be settled");
    const unavailable = error.retryable && !(error instanceof ConcurrentSettlementError);
    return { result: unavailable ? "unavailable" : "error", purchase: null };
  }
}
