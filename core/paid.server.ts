import { eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Executor } from "#db/database.ts";
import {
  type PaymentAttempt,
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  type Refund,
  refunds,
} from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { OPEN_DISPUTE_STATES } from "./payments/payment-states.ts";
import type { RefundReason } from "./refund-reasons.ts";

/** What a buyer has paid for a purchase, in paise, and why it is not the price. */
export interface Paid {
  amountPaise: number;
  /** The gateway's fee, a part of the amount, where the buyer bears it. */
  buyerFeePaise: number;
  /** What an offer of the owner at the gateway took off the price. */
  offerPaise: number;
}

type Payment = Pick<PaymentAttempt, "status" | "outcome" | "amountPaise" | "buyerFeePaise"> & {
  refund: { reason: string } | null;
};

/**
 * The captured payment that paid the purchase: the payment that was kept, else the first that paid its order.
 *
 * @param payments oldest first
 * @returns null without a captured payment
 */
export function paidOf(
  purchase: Pick<Purchase, "status" | "amountPaise">,
  payments: readonly Payment[],
): Paid | null {
  const isOtherAmount = ({ refund }: Payment) =>
    refund?.reason === ("amount-mismatch" satisfies RefundReason);
  const captured = payments.filter(({ status }) => status === "captured");
  const payment =
    captured.find(({ outcome }) => outcome !== "refund") ??
    captured.find((one) => !isOtherAmount(one)) ??
    captured[0];
  if (!payment) return null;
  const { amountPaise, buyerFeePaise } = payment;
  // A payment that never paid for a pass may have had any amount.
  const isPass = purchase.status === "completed" || purchase.status === "active";
  const explained = isPass && !isOtherAmount(payment);
  return {
    amountPaise,
    buyerFeePaise,
    offerPaise: explained ? Math.max(0, purchase.amountPaise - amountPaise) : 0,
  };
}

/** The payments of purchases, oldest first. */
export function selectPaymentsOf(executor: Executor, purchaseIds: readonly string[]) {
  return (
    executor
      .select({
        purchaseId: paymentOrders.purchaseId,
        status: paymentAttempts.status,
        outcome: paymentAttempts.outcome,
        amountPaise: paymentAttempts.amountPaise,
        buyerFeePaise: paymentAttempts.buyerFeePaise,
        refundedPaise: paymentAttempts.refundedPaise,
        refund: { reason: refunds.reason },
      })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
      .where(inArray(paymentOrders.purchaseId, [...purchaseIds]))
      // Keys are UUIDv7, so they are in the order of creation.
      .orderBy(paymentAttempts.id)
  );
}

/**
 * Whether a refund of the payment has to wait, because a dispute of it is open: `holdsRefund` in SQL.
 *
 * @param gatewayPaymentId the column of an outer statement, or a value
 */
export const isHeldByDispute = (gatewayPaymentId: PgColumn | SQL): SQL => sql`exists (
  select from ${paymentDisputes} where ${paymentDisputes.gatewayPaymentId} = ${gatewayPaymentId}
    and ${inArray(paymentDisputes.status, OPEN_DISPUTE_STATES)} and ${ne(paymentDisputes.phase, "fraud")})`;

/** How far a refund is for its buyer: `held` while a dispute of its payment is open. */
export type BuyersRefundStatus = Refund["status"] | "held";

export const buyersRefundStatus = (status: Refund["status"], isHeld: boolean): BuyersRefundStatus =>
  isHeld && status === "requested" ? "held" : status;
