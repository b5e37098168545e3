import { and, asc, eq, inArray, notInArray, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import {
  type PaymentAttempt,
  paymentAttempts,
  paymentOrders,
  payouts,
  refunds,
} from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { type RefundReason, refundMessage } from "../refund-reasons.ts";
import { IS_PAYOUT } from "./credits.server.ts";
import { selectDisputes } from "./disputes.server.ts";
import { MINIMUM_REFUND_PAISE } from "./payment-gateway.ts";
import { holdsRefund, REFUND_TABLE, statesChangedBy } from "./payment-states.ts";

/**
 * Gives a captured payment the outcome `refund`, in the running transaction, and queues a mail to the buyer. A job sends the
 * refund; a refund that is `cancelled-and-given-back` waits for a person. Earlier partial refunds and losses in disputes reduce
 * the amount. A remainder below the gateway's minimum is not refunded.
 *
 * @param input.alreadyRefunded the gateway reports that all of it was refunded: only recorded, not sent
 * @returns the amount that is still to be refunded, in paise
 */
export async function requestRefund(
  ctx: Context,
  tx: Transaction,
  input: { purchase: Purchase; attempt: PaymentAttempt; reason: RefundReason; alreadyRefunded: boolean },
): Promise<number> {
  const { purchase, attempt, reason } = input;
  const isTooSmall = !input.alreadyRefunded && isRemainderTooSmall(attempt);
  const isDone = input.alreadyRefunded || isTooSmall;
  const owedPaise = input.alreadyRefunded ? attempt.amountPaise : attempt.amountPaise - attempt.lostPaise;
  const amountPaise = isTooSmall ? 0 : owedPaise - attempt.refundedPaise;
  const now = ctx.clock.now();
  await tx.update(paymentAttempts).set({ outcome: "refund" }).where(eq(paymentAttempts.id, attempt.id));
  const refundId = uuidv7();
  await tx.insert(refunds).values({
    id: refundId,
    attemptId: attempt.id,
    amountPaise: isTooSmall ? attempt.refundedPaise || owedPaise : owedPaise,
    reason,
    idempotencyKey: `refund-${attempt.id}`,
    status: isDone ? "processed" : "requested",
    createdAt: now,
    updatedAt: now,
  });
  if (reason === "cancelled-and-given-back")
    await tx.insert(payouts).values({ refundId, createdAt: now, updatedAt: now });
  changed(tx, paymentAttempts, refunds, payouts);
  // A deleted account has no address. No mail is sent about a remainder that is not refunded.
  if (purchase.userEmail.includes("@") && !isTooSmall) {
    await queueMail(ctx, tx, {
      to: purchase.userEmail,
      kind: "payment-refunded",
      facts: {
        toolName: purchase.toolName,
        amountPaise,
        reason: refundMessage(reason),
        testMode: purchase.testMode,
        isHeld: (await selectDisputes(tx, [attempt])).some(holdsRefund),
      },
    });
  }
  await recordAudit(ctx, tx, {
    action: "refund.requested",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, amountPaise },
  });
  ctx.log.warn({ purchaseId: purchase.id, reason, amountPaise }, "refund requested");
  return amountPaise;
}

/** The captured payments of a purchase that are not refunded: their outcome is `pass` or `retained`. */
export async function listUnrefundedPayments(
  executor: Executor,
  purchaseId: string,
): Promise<(PaymentAttempt & { gateway: string })[]> {
  const rows = await executor
    .select({ attempt: paymentAttempts, gateway: paymentOrders.gateway })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(
      and(
        eq(paymentOrders.purchaseId, purchaseId),
        inArray(paymentAttempts.outcome, ["pass", "cancellation"]),
      ),
    );
  return rows.map(({ attempt, gateway }) => ({ ...attempt, gateway }));
}

/** The refunds of a buyer that are not final: requested, processing or failed. */
interface OpenRefunds {
  /** The oldest 20, oldest first. */
  openRefunds: Array<{ toolName: string; amountPaise: number; byHand: boolean }>;
  /** The sum of all. */
  openRefundsPaise: number;
}

const MOST_OPEN_REFUNDS = 20;

/** The refunds of a buyer that are not final. Failed ones too, because the owner makes them again. */
export async function listOpenRefunds(executor: Executor, userId: string): Promise<OpenRefunds> {
  const rows = await executor
    .select({
      toolName: userPurchases.toolName,
      amountPaise: refunds.amountPaise,
      byHand: sql<boolean>`${IS_PAYOUT}`,
      sumPaise: sql`sum(${refunds.amountPaise}) over ()`.mapWith(Number),
    })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(and(eq(userPurchases.userId, userId), notInArray(refunds.status, ["processed", "charged-back"])))
    .orderBy(asc(refunds.id))
    .limit(MOST_OPEN_REFUNDS);
  return {
    openRefunds: rows.map(({ sumPaise: _, ...refund }) => refund),
    openRefundsPaise: rows[0]?.sumPaise ?? 0,
  };
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

/** What of a payment is neither refunded on the gateway's own pages nor lost in disputes, in paise. */
export const refundableOf = (payment: Pick<PaymentAttempt, "amountPaise" | "refundedPaise" | "lostPaise">) =>
  payment.amountPaise - payment.refundedPaise - payment.lostPaise;

/** Whether partial refunds and losses have left a remainder below the gateway's minimum. */
export function isRemainderTooSmall(
  payment: Pick<PaymentAttempt, "amountPaise" | "refundedPaise" | "lostPaise">,
): boolean {
  return payment.refundedPaise + payment.lostPaise > 0 && refundableOf(payment) < MINIMUM_REFUND_PAISE;
}

/**
 * Makes a processed refund due again, because the gateway reports that the shop still has money of it. It gets a new
 * idempotency key. A stale response does no harm: the gateway rejects a refund of more than is left of the payment.
 *
 * @returns whether a refund was reopened
 */
export async function reopenRefund(
  ctx: Context,
  tx: Transaction,
  { purchase, attempt }: { purchase: Purchase; attempt: PaymentAttempt },
): Promise<boolean> {
  const [reopened] = await tx
    .update(refunds)
    .set({
      status: "requested",
      amountPaise: attempt.amountPaise - attempt.lostPaise,
      idempotencyKey: `refund-${attempt.id}-${uuidv7()}`,
      gatewayRefundId: null,
      tries: 0,
      // The refund counts as overdue by its age, so its age starts now.
      createdAt: ctx.clock.now(),
      updatedAt: ctx.clock.now(),
    })
    .where(
      and(
        eq(refunds.attemptId, attempt.id),
        inArray(refunds.status, statesChangedBy(REFUND_TABLE, "reopened")),
      ),
    )
    .returning({ id: refunds.id });
  changed(tx, refunds);
  if (!reopened) return false;
  await recordAudit(ctx, tx, {
    action: "refund.reopened",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { paymentId: attempt.gatewayPaymentId },
  });
  ctx.log.error({ refundId: reopened.id }, "a processed refund was not paid out; it is sent again");
  return true;
}

/** Completes a failed refund that the owner made on the gateway's own pages. @returns whether there was one */
export async function markFailedRefundProcessed(
  ctx: Context,
  tx: Transaction,
  attemptId: string,
  amountPaise: number,
): Promise<boolean> {
  const completed = await tx
    .update(refunds)
    .set({ status: "processed", amountPaise, lastError: null, updatedAt: ctx.clock.now() })
    .where(
      and(
        eq(refunds.attemptId, attemptId),
        inArray(refunds.status, statesChangedBy(REFUND_TABLE, "completed-at-gateway")),
      ),
    )
    .returning({ id: refunds.id });
  changed(tx, refunds);
  return completed.length > 0;
}
