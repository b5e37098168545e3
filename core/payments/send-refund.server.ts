import type { Refund } from "#db/tables/payments.ts";
import type { AuthorisedContext } from "../authorise.ts";
import {
  GatewayError,
  type GatewayRefund,
  MINIMUM_REFUND_PAISE,
  type PaymentGateway,
} from "./payment-gateway.ts";
import { refundTransition } from "./payment-states.ts";

/** A refund that the gateway has not finished, with the gateway's ids of its payment, and what of it was lost in disputes. */
export interface UnfinishedRefund
  extends Pick<Refund, "id" | "status" | "amountPaise" | "idempotencyKey" | "gatewayRefundId"> {
  gatewayPaymentId: string;
  gatewayOrderId: string | null;
  /** Paise. */
  lostPaise: number;
}

/** What the gateway's answer changes in a refund's row. */
export interface RefundChanges {
  status?: Refund["status"];
  gatewayRefundId?: string;
  /** Less than was requested: the owner had refunded so much, and the remainder is too small to be refunded. */
  amountPaise?: number;
  lastError: string | null;
}

/**
 * Sends a refund to the gateway, or polls it when the gateway has begun it. It writes nothing, and may run any number of
 * times: the idempotency key makes the gateway refund once. An error of the gateway is in the result and logged.
 */
export async function sendOrPollRefund(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  refund: UnfinishedRefund,
): Promise<RefundChanges> {
  // The gateway would accept more than the rest, because it has refunded nothing of what was lost.
  if (refund.lostPaise > 0 && !refund.gatewayRefundId) {
    const refundedPaise = await fetchRefundedPaise(gateway, refund);
    if (refundedPaise === null) return { lastError: UNREADABLE };
    return refundRemainder(ctx, gateway, refund, refundedPaise);
  }
  try {
    const reported = refund.gatewayRefundId
      ? await gateway.fetchRefund({ gatewayRefundId: refund.gatewayRefundId })
      : await gateway.refund({
          gatewayPaymentId: refund.gatewayPaymentId,
          amountPaise: refund.amountPaise,
          idempotencyKey: refund.idempotencyKey,
        });
    const { status } = reported;
    const level = status === "failed" ? "error" : "info";
    ctx.log[level]({ refundId: refund.id, status }, "the gateway reports a refund");
    const lastError = status === "failed" ? "The payment provider could not pay it back." : null;
    return { ...changesByReport(refund, reported), lastError };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const refundedPaise = error.retryable ? null : await fetchRefundedPaise(gateway, refund);
    if (refundedPaise !== null && refundedPaise > 0)
      return refundRemainder(ctx, gateway, refund, refundedPaise);
    const level = error.retryable ? "warn" : "error";
    ctx.log[level]({ err: error, refundId: refund.id }, "the gateway did not make a refund");
    return { lastError: error.message };
  }
}

const UNREADABLE = "The payment provider did not say what was refunded.";

/**
 * What becomes of a refund whose payment the bank has taken back in full: charged-back, unless the gateway has refunded something
 * since the loss. It sends nothing.
 *
 * @param beforePaise what the gateway had refunded before
 */
export async function decideLostRefund(
  gateway: PaymentGateway,
  refund: UnfinishedRefund,
  beforePaise: number,
): Promise<RefundChanges> {
  const refundedPaise = await fetchRefundedPaise(gateway, refund);
  if (refundedPaise === null) return { lastError: UNREADABLE };
  if (refundedPaise <= beforePaise) return { status: "charged-back", lastError: null };
  return { status: "processed", amountPaise: refundedPaise, lastError: null };
}

function changesByReport(
  refund: UnfinishedRefund,
  { gatewayRefundId, status }: GatewayRefund,
): Omit<RefundChanges, "lastError"> {
  const next = refundTransition(refund.status, `gateway-${status}`);
  return { gatewayRefundId, ...(next ? { status: next } : {}) };
}

/**
 * Asks the gateway how much of a payment was refunded. A refused refund may mean that the owner has refunded it on the
 * gateway's own pages.
 *
 * @returns paise; null when the gateway does not report it
 */
async function fetchRefundedPaise(
  gateway: PaymentGateway,
  { gatewayOrderId, gatewayPaymentId }: UnfinishedRefund,
): Promise<number | null> {
  if (!gatewayOrderId) return null;
  try {
    const payments = await gateway.fetchOrderPayments(gatewayOrderId);
    return payments.find((payment) => payment.gatewayPaymentId === gatewayPaymentId)?.refundedPaise ?? null;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return null;
  }
}

/** Refunds the remainder, because the owner has refunded a part on the gateway's own pages. */
async function refundRemainder(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  refund: UnfinishedRefund,
  refundedPaise: number,
): Promise<RefundChanges> {
  const amountPaise = refund.amountPaise - refundedPaise;
  if (amountPaise <= 0) {
    ctx.log.info({ refundId: refund.id }, "the refund was made on the gateway's own pages");
    return { status: "processed", lastError: null };
  }
  if (amountPaise < MINIMUM_REFUND_PAISE) {
    ctx.log.warn({ refundId: refund.id, amountPaise }, "the remainder of a refund is below the minimum");
    return { status: "processed", amountPaise: refundedPaise, lastError: null };
  }
  try {
    const { gatewayPaymentId } = refund;
    const idempotencyKey = `${refund.idempotencyKey}-rest-${amountPaise}`;
    const reported = await gateway.refund({ gatewayPaymentId, amountPaise, idempotencyKey });
    ctx.log.info({ refundId: refund.id, amountPaise }, "the remainder of a refund was sent");
    return { ...changesByReport(refund, reported), lastError: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.error({ err: error, refundId: refund.id }, "the remainder of a refund could not be sent");
    return { lastError: error.message };
  }
}
