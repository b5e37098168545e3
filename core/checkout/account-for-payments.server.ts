import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { inTransaction } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import { type CaptureDecision, decideCapture, type RefundReason } from "./capture-decision.ts";
import { completePurchase, readCaptureFacts } from "./complete-purchase.server.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { lockPurchase, type PaymentAttempt, type PaymentOrder } from "./queries.server.ts";
import { requestRefund } from "./request-refund.server.ts";
import type { SettleResult } from "./settle-payment.server.ts";

/** Writes down what the gateway said and turns every captured payment not yet accounted for into a pass or a refund. */
export async function accountForPayments(
  ctx: Context,
  order: PaymentOrder,
  payments: readonly GatewayPayment[],
): Promise<SettleResult> {
  const { result, refundAsked } = await inTransaction(ctx.db, async (tx) => {
    // First of all locks: whoever accounts for this order's money waits here for the others.
    await lockPurchase(tx, order.purchaseId);
    let refundAsked = false;
    for (const payment of payments) {
      const attempt = await recordAttempt(ctx, tx, order, payment);
      if (attempt.status !== "captured" || attempt.outcome !== null) continue;
      const outcome = await accountForCapture(ctx, tx, { order, attempt, payment });
      refundAsked ||= outcome === "refund";
    }
    await tx.update(paymentOrders).set({ checkedAt: ctx.clock.now() }).where(eq(paymentOrders.id, order.id));
    return { result: await readResult(tx, order), refundAsked };
  });
  if (refundAsked) {
    ctx.ports.jobs.nudge("carry-out-refunds");
    ctx.ports.jobs.nudge("send-mail");
  }
  return result;
}

const RANK = { created: 0, failed: 1, authorized: 2, captured: 3 } as const;

/** Inserts or moves an attempt forward; a later status is never overwritten by an earlier one told late. */
async function recordAttempt(
  ctx: Context,
  tx: Transaction,
  order: PaymentOrder,
  payment: GatewayPayment,
): Promise<PaymentAttempt> {
  const status = payment.status === "refunded" ? "captured" : payment.status;
  const facts = {
    status,
    method: payment.method,
    errorDescription: payment.errorDescription,
    capturedAt: status === "captured" ? ctx.clock.now() : null,
  };
  const [known] = await tx
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, payment.paymentId));
  if (known && RANK[status] <= RANK[known.status]) return known;
  const [written] = known
    ? await tx.update(paymentAttempts).set(facts).where(eq(paymentAttempts.id, known.id)).returning()
    : await tx
        .insert(paymentAttempts)
        .values({
          ...facts,
          orderId: order.id,
          gatewayPaymentId: payment.paymentId,
          amount: payment.amountPaise,
        })
        .returning();
  if (!written) throw new Error(`payment ${payment.paymentId} was not written`);
  return written;
}

interface Capture {
  order: PaymentOrder;
  attempt: PaymentAttempt;
  payment: GatewayPayment;
}

async function accountForCapture(
  ctx: Context,
  tx: Transaction,
  capture: Capture,
): Promise<"pass" | "refund"> {
  const { order, attempt, payment } = capture;
  // Read again: an earlier payment of this very call may have completed the purchase.
  const purchase = await lockPurchase(tx, order.purchaseId);
  if (!purchase) throw new Error(`order ${order.id} has no purchase`);
  const facts = await readCaptureFacts(ctx, tx, purchase);
  const decision: CaptureDecision = decideCapture({
    ...facts,
    alreadyBack: payment.status === "refunded",
    amountMatches: payment.amountPaise === order.amount && payment.currency === order.currency,
  });
  let reason: RefundReason | null = decision.kind === "refund" ? decision.reason : null;
  if (decision.kind !== "refund") {
    const obstacle = await completePurchase(ctx, tx, { purchase, retake: decision.kind === "retake" });
    if (obstacle === null) {
      await tx.update(paymentAttempts).set({ outcome: "pass" }).where(eq(paymentAttempts.id, attempt.id));
      await tx.update(paymentOrders).set({ state: "settled" }).where(eq(paymentOrders.id, order.id));
      ctx.log.info({ purchaseId: purchase.id, paymentId: payment.paymentId }, "payment became a pass");
      return "pass";
    }
    reason = obstacle;
  }
  await requestRefund(ctx, tx, { purchase, attempt, reason: reason ?? "purchase-ended" });
  return "refund";
}

async function readResult(tx: Transaction, order: PaymentOrder): Promise<SettleResult> {
  const outcomes = await tx
    .select({ outcome: paymentAttempts.outcome })
    .from(paymentAttempts)
    .where(and(eq(paymentAttempts.orderId, order.id), sql`${paymentAttempts.outcome} is not null`));
  if (outcomes.some(({ outcome }) => outcome === "pass")) return "pass";
  return outcomes.length > 0 ? "refunded" : "waiting";
}
