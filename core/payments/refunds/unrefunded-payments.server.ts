import { and, eq, inArray } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { MINIMUM_REFUND_PAISE } from "../payment-gateway.ts";

/** The captured payments of a purchase that are not refunded: their outcome is `pass` or `retained`. */
export async function listUnrefundedPayments(
  executor: Executor,
  purchaseId: string,
): Promise<PaymentAttempt[]> {
  const rows = await executor
    .select({ attempt: paymentAttempts })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(
      and(
        eq(paymentOrders.purchaseId, purchaseId),
        inArray(paymentAttempts.outcome, ["pass", "cancellation"]),
      ),
    );
  return rows.map(({ attempt }) => attempt);
}

/** Whether a payment of a purchase was refunded, or is being refunded. */
export async function hasRefundedPayment(executor: Executor, purchaseId: string): Promise<boolean> {
  const rows = await executor
    .select({ id: paymentAttempts.id })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(and(eq(paymentOrders.purchaseId, purchaseId), eq(paymentAttempts.outcome, "refund")))
    .limit(1);
  return rows.length > 0;
}

/** Whether partial refunds have left a remainder below the gateway's minimum. */
export function isRemainderTooSmall({
  amountPaise,
  refundedPaise,
}: Pick<PaymentAttempt, "amountPaise" | "refundedPaise">): boolean {
  return refundedPaise > 0 && amountPaise - refundedPaise < MINIMUM_REFUND_PAISE;
}
