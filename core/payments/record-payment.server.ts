import type { Transaction } from "#db/database.ts";
import type { PaymentAttempt, PaymentOrder } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { queuePurchaseMail } from "../mail/queue-purchase-mail.server.ts";
import { applyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";
import { paymentStateOf, paymentTransition } from "./machines/payment-machine.ts";
import { type GatewayPayment, MINIMUM_REFUND_PAISE } from "./payment-gateway.ts";
import { recordPartialRefund, writePaymentAttempt } from "./payment-records.server.ts";
import { readCaptureEvent } from "./read-capture-event.server.ts";
import { markFailedRefundProcessed, reopenRefund } from "./refunds/refund-records.server.ts";
import { requestRefund } from "./refunds/request-refund.server.ts";

interface ReportedPayment {
  order: PaymentOrder;
  /** Locked by the caller. */
  purchase: Purchase;
  payment: GatewayPayment;
  /** The payment's row; null when the payment is new. */
  attempt: PaymentAttempt | null;
  overlaps: boolean;
}

interface RecordedPayment {
  purchase: Purchase;
  attempt: PaymentAttempt | null;
  /** A refund was requested. */
  refunded: boolean;
  /** The payment became a pass: a receipt was queued. */
  fulfilled?: true;
  /** The response may be older than what was recorded in the meantime. */
  mayBeStale: boolean;
}

/** Records one payment of the gateway's response. A captured payment gets exactly one outcome. */
export async function recordPayment(
  ctx: Context,
  tx: Transaction,
  reported: ReportedPayment,
): Promise<RecordedPayment> {
  const { payment, attempt, purchase } = reported;
  const state = paymentStateOf(attempt);
  const transition = paymentTransition(state, `gateway-${payment.status}`);
  const next = transition.kind === "transition" ? transition.to : state;
  if (next === "captured") return recordCapture(ctx, tx, reported);
  if (attempt && next === "refund" && payment.status === "refunded") {
    return recordReversal(ctx, tx, reported, attempt);
  }
  if (attempt?.outcome && payment.status === "captured") {
    return recordRefundedAmount(ctx, tx, reported, attempt);
  }
  if (transition.kind !== "transition") return { purchase, attempt, refunded: false, mayBeStale: false };
  const written = await writePaymentAttempt(ctx, tx, { ...reported, state: next });
  return { purchase, attempt: written, refunded: false, mayBeStale: false };
}

/** Gives a captured payment its outcome. The state of its purchase decides between a pass and a refund. */
async function recordCapture(
  ctx: Context,
  tx: Transaction,
  reported: ReportedPayment,
): Promise<RecordedPayment> {
  const { payment } = reported;
  const event = await readCaptureEvent(ctx, tx, reported);
  const { purchase, refund } = await applyPurchaseEvent(ctx, tx, reported.purchase, event);
  const decided = paymentTransition("captured", refund ? "refund" : "fulfil");
  if (decided.kind !== "transition") throw new Error("a captured payment has no outcome");
  const attempt = await writePaymentAttempt(ctx, tx, { ...reported, state: decided.to });
  if (refund) {
    const alreadyRefunded = payment.status === "refunded";
    await requestRefund(ctx, tx, { purchase, attempt, reason: refund, alreadyRefunded });
    return { purchase, attempt, refunded: true, mayBeStale: false };
  }
  await queuePurchaseMail(ctx, tx, "purchase-receipt", purchase);
  ctx.log.info({ purchaseId: purchase.id, paymentId: payment.paymentId }, "pass created");
  return { purchase, attempt, refunded: false, fulfilled: true, mayBeStale: false };
}

/** Records how much of a captured payment was refunded at the gateway: nothing, or a part of it. */
async function recordRefundedAmount(
  ctx: Context,
  tx: Transaction,
  { purchase, payment: { refundedPaise } }: ReportedPayment,
  known: PaymentAttempt,
): Promise<RecordedPayment> {
  if (refundedPaise === null) return { purchase, attempt: known, refunded: false, mayBeStale: false };
  const changed = refundedPaise !== known.refundedPaise;
  const attempt = changed
    ? await recordPartialRefund(ctx, tx, { purchaseId: purchase.id, attempt: known, refundedPaise })
    : known;
  if (known.outcome !== "refund") return { purchase, attempt, refunded: false, mayBeStale: changed };
  if (known.amountPaise - refundedPaise < MINIMUM_REFUND_PAISE) {
    const completed = await markFailedRefundProcessed(ctx, tx, known.id, refundedPaise);
    return { purchase, attempt, refunded: false, mayBeStale: changed || completed };
  }
  const reopened = await reopenRefund(ctx, tx, { purchase, attempt });
  return { purchase, attempt, refunded: reopened, mayBeStale: changed || reopened };
}

/**
 * Records a reversal: a payment with an outcome was refunded in full on the gateway's own pages. If it pays for a pass,
 * the pass ends.
 */
async function recordReversal(
  ctx: Context,
  tx: Transaction,
  reported: ReportedPayment,
  attempt: PaymentAttempt,
): Promise<RecordedPayment> {
  if (attempt.outcome === "refund") {
    const completed = await markFailedRefundProcessed(ctx, tx, attempt.id, attempt.amountPaise);
    return { purchase: reported.purchase, attempt, refunded: false, mayBeStale: completed };
  }
  const { purchase } =
    attempt.outcome === "pass"
      ? await applyPurchaseEvent(ctx, tx, reported.purchase, { type: "payment-reversed" })
      : reported;
  await requestRefund(ctx, tx, { purchase, attempt, reason: "refunded-at-gateway", alreadyRefunded: true });
  return { purchase, attempt: { ...attempt, outcome: "refund" }, refunded: true, mayBeStale: true };
}
