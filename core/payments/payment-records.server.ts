import { and, eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import {
  type PaymentAttempt,
  type PaymentOrder,
  paymentAttempts,
  paymentOrders,
  refunds,
} from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { isInvalidDataError } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { nextPollAt, nextPollWithoutEnd, RETRY_AFTER_MS } from "./poll-schedule.ts";

/** What the gateway says of a payment cannot be written down: no column of ours holds it. */
export class InvalidPaymentDataError extends Error {}

/** Writes what the gateway said of one payment, with what it became; `known` is its row, when it has one. */
export async function writePaymentAttempt(
  ctx: Context,
  tx: Transaction,
  input: {
    order: PaymentOrder;
    payment: GatewayPayment;
    known: PaymentAttempt | null;
    outcome: PaymentAttempt["outcome"];
  },
): Promise<PaymentAttempt> {
  const { order, payment, known, outcome } = input;
  const status = payment.status === "refunded" ? "captured" : payment.status;
  const facts = {
    status,
    outcome,
    method: payment.method,
    errorDescription: payment.errorDescription,
    capturedAt: status === "captured" ? ctx.clock.now() : null,
    refundedPaise: payment.status === "captured" ? (payment.refundedPaise ?? 0) : 0,
  };
  try {
    const [written] = known
      ? await tx.update(paymentAttempts).set(facts).where(eq(paymentAttempts.id, known.id)).returning()
      : await tx
          .insert(paymentAttempts)
          .values({
            ...facts,
            orderId: order.id,
            gatewayPaymentId: payment.paymentId,
            amountPaise: payment.amountPaise,
          })
          .returning();
    if (!written) throw new Error(`payment ${payment.paymentId} was not written`);
    return written;
  } catch (error) {
    throw isInvalidDataError(error)
      ? new InvalidPaymentDataError(payment.paymentId, { cause: error })
      : error;
  }
}

/** A part of the money went back, or came to the shop again, by the gateway's own hand: what it bought stays. */
export async function recordPartialRefund(
  ctx: Context,
  tx: Transaction,
  input: { purchaseId: string; known: PaymentAttempt; refundedPaise: number },
): Promise<PaymentAttempt> {
  const { purchaseId, known, refundedPaise: refundedAtGateway } = input;
  await tx
    .update(paymentAttempts)
    .set({ refundedPaise: refundedAtGateway, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, known.id));
  await recordAudit(ctx, tx, {
    action: "payment.part-refunded",
    subjectType: "purchase",
    subjectId: purchaseId,
    details: {
      paymentId: known.gatewayPaymentId,
      amountPaise: known.amountPaise,
      refundedPaise: refundedAtGateway,
    },
  });
  return { ...known, refundedPaise: refundedAtGateway };
}

/** An order with money that cannot be written down is asked about ever more rarely, and never given up. */
export async function postponeInvalidPayment(ctx: Context, order: PaymentOrder): Promise<void> {
  const nextPollAt = nextPollWithoutEnd(order.createdAt, ctx.clock.now());
  await ctx.db
    .update(paymentOrders)
    .set({ nextPollAt: nextPollAt, version: sql`${paymentOrders.version} + 1` })
    .where(eq(paymentOrders.id, order.id));
}

/**
 * The gateway was asked about an order and answered; when to ask again.
 *
 * @param found.capturing a payment is about to be captured: whether that succeeded is asked soon, if nobody hears of it before
 * @returns how many answers about it were booked, this one with them
 */
export async function recordGatewayPoll(
  ctx: Context,
  executor: Executor,
  order: PaymentOrder,
  found: { settled: boolean; capturing: boolean },
): Promise<number> {
  const now = ctx.clock.now();
  const next = found.capturing ? new Date(now.getTime() + RETRY_AFTER_MS) : nextPollAt(order.createdAt, now);
  const [noted] = await executor
    .update(paymentOrders)
    .set({
      polledAt: now,
      // Something else that came in between has decided when.
      nextPollAt: sql`case when ${paymentOrders.version} = ${order.version}
        then ${next?.toISOString() ?? null}::timestamptz else ${paymentOrders.nextPollAt} end`,
      version: sql`${paymentOrders.version} + 1`,
      ...(found.settled ? { state: "settled" as const } : {}),
    })
    .where(eq(paymentOrders.id, order.id))
    .returning({ version: paymentOrders.version });
  if (!noted) throw new Error(`order ${order.id} is gone`);
  return noted.version;
}

/**
 * Money that was thought to be back is with the shop: it is sent again, under a new key. Sending more than is left is
 * refused by the gateway, so that an old answer does no harm.
 *
 * @returns whether there was a refund to send again
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
      amountPaise: attempt.amountPaise,
      idempotencyKey: `refund-${attempt.id}-${uuidv7()}`,
      gatewayRefundId: null,
      tries: 0,
      // Due from now on, so not overdue yet.
      createdAt: ctx.clock.now(),
      updatedAt: ctx.clock.now(),
    })
    .where(and(eq(refunds.attemptId, attempt.id), eq(refunds.status, "processed")))
    .returning({ id: refunds.id });
  if (!reopened) return false;
  await recordAudit(ctx, tx, {
    action: "refund.reopened",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { paymentId: attempt.gatewayPaymentId },
  });
  ctx.log.error({ refundId: reopened.id }, "a refund did not arrive and is made again");
  return true;
}

/** A refund that had failed was made good by the gateway's own hand. */
export async function finishFailedRefund(
  ctx: Context,
  tx: Transaction,
  attemptId: string,
  amount: number,
): Promise<boolean> {
  const finished = await tx
    .update(refunds)
    .set({ status: "processed", amountPaise: amount, lastError: null, updatedAt: ctx.clock.now() })
    .where(and(eq(refunds.attemptId, attemptId), eq(refunds.status, "failed")))
    .returning({ id: refunds.id });
  return finished.length > 0;
}
