import { and, eq, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import { prepareWrite, valueFor, valuesFor } from "#db/prepared-statement.ts";
import {
  type PaymentAttempt,
  type PaymentOrder,
  paymentAttempts,
  paymentOrders,
} from "#db/tables/payments.ts";
import { changed, isInvalidDataError } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { orderTransition } from "./machines/order-machine.ts";
import { type PaymentState, storedOutcomeOf } from "./machines/payment-machine.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { nextPollAt, nextPollWithoutEnd, RETRY_AFTER_MS } from "./poll-schedule.ts";

/** The gateway reports a payment with values that our columns cannot hold. */
export class InvalidPaymentDataError extends Error {}

/** Writes what the gateway reports about one payment, and the state that it has now. */
export async function writePaymentAttempt(
  ctx: Context,
  tx: Transaction,
  input: {
    order: PaymentOrder;
    payment: GatewayPayment;
    /** The payment's row; null when the payment is new. */
    attempt: PaymentAttempt | null;
    state: PaymentState;
  },
): Promise<PaymentAttempt> {
  const { order, payment, attempt, state } = input;
  const status = payment.status === "refunded" ? "captured" : payment.status;
  const values = {
    status,
    outcome: storedOutcomeOf(state),
    method: payment.method,
    errorDescription: payment.errorDescription,
    capturedAt: status === "captured" ? ctx.clock.now() : null,
    refundedPaise: payment.status === "captured" ? (payment.refundedPaise ?? 0) : 0,
  };
  try {
    const [written] = attempt
      ? await tx.update(paymentAttempts).set(values).where(eq(paymentAttempts.id, attempt.id)).returning()
      : await insertAttempt(tx, {
          ...values,
          id: uuidv7(),
          orderId: order.id,
          gatewayPaymentId: payment.paymentId,
          amountPaise: payment.amountPaise,
          createdAt: ctx.clock.now(),
        });
    changed(tx, paymentAttempts);
    if (!written) throw new Error(`payment ${payment.paymentId} was not written`);
    return written;
  } catch (error) {
    throw isInvalidDataError(error)
      ? new InvalidPaymentDataError(payment.paymentId, { cause: error })
      : error;
  }
}

const insertAttempt = prepareWrite("insert-payment-attempt", paymentAttempts, (tx) =>
  tx
    .insert(paymentAttempts)
    .values({
      ...valuesFor(paymentAttempts, [
        "id",
        "orderId",
        "gatewayPaymentId",
        "amountPaise",
        "status",
        "outcome",
      ]),
      ...valuesFor(paymentAttempts, [
        "method",
        "errorDescription",
        "capturedAt",
        "refundedPaise",
        "createdAt",
      ]),
      updatedAt: valueFor(paymentAttempts.updatedAt, "createdAt"),
    })
    .returning(),
);

/**
 * Records that a part of the payment was refunded on the gateway's own pages, or that such a refund has failed. The
 * outcome stays.
 */
export async function recordPartialRefund(
  ctx: Context,
  tx: Transaction,
  input: { purchaseId: string; attempt: PaymentAttempt; refundedPaise: number },
): Promise<PaymentAttempt> {
  const { purchaseId, attempt, refundedPaise } = input;
  await tx
    .update(paymentAttempts)
    .set({ refundedPaise, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, attempt.id));
  changed(tx, paymentAttempts);
  await recordAudit(ctx, tx, {
    action: "payment.part-refunded",
    subjectType: "purchase",
    subjectId: purchaseId,
    details: { paymentId: attempt.gatewayPaymentId, amountPaise: attempt.amountPaise, refundedPaise },
  });
  return { ...attempt, refundedPaise };
}

/**
 * Postpones the next poll of an order with a payment that cannot be stored. The intervals grow, but the polls never
 * end.
 */
export async function postponeInvalidPayment(ctx: Context, order: PaymentOrder): Promise<void> {
  await ctx.db
    .update(paymentOrders)
    .set({
      nextPollAt: nextPollWithoutEnd(order.createdAt, ctx.clock.now()),
      version: sql`${paymentOrders.version} + 1`,
    })
    .where(eq(paymentOrders.id, order.id));
  changed(ctx.db, paymentOrders);
}

/**
 * Records that a response of the gateway about an order arrived, and when to poll the order again.
 *
 * @param found.capturing a payment is about to be captured: the order is polled soon, in case the response to the
 *   capture is lost
 * @returns the order's version: the number of recorded responses, this one included
 */
export async function recordGatewayPoll(
  ctx: Context,
  executor: Executor,
  order: PaymentOrder,
  found: { settled: boolean; capturing: boolean },
): Promise<number> {
  const now = ctx.clock.now();
  const next = found.capturing ? new Date(now.getTime() + RETRY_AFTER_MS) : nextPollAt(order.createdAt, now);
  const state = found.settled ? orderTransition(order.state, "payment-settled") : null;
  const [updated] = await storeGatewayPoll(executor, {
    id: order.id,
    knownVersion: order.version,
    next,
    now,
    state,
  });
  if (!updated) throw new Error(`order ${order.id} does not exist`);
  return updated.version;
}

/** Polls an order again whose polls have ended. */
export async function resumePolls(ctx: Context, { id }: PaymentOrder): Promise<void> {
  const soon = new Date(ctx.clock.now().getTime() + RETRY_AFTER_MS);
  await ctx.db
    .update(paymentOrders)
    .set({ nextPollAt: soon })
    .where(and(eq(paymentOrders.id, id), isNull(paymentOrders.nextPollAt)));
  changed(ctx.db, paymentOrders);
}

const storeGatewayPoll = prepareWrite("store-gateway-poll", paymentOrders, (executor) =>
  executor
    .update(paymentOrders)
    .set({
      polledAt: valueFor(paymentOrders.polledAt, "now"),
      // When another response was recorded since the request, its time for the next poll is kept.
      nextPollAt: sql`case when ${paymentOrders.version} = ${valueFor(paymentOrders.version, "knownVersion")}
        then ${valueFor(paymentOrders.nextPollAt, "next")}::timestamptz else ${paymentOrders.nextPollAt} end`,
      version: sql`${paymentOrders.version} + 1`,
      state: sql`coalesce(${valueFor(paymentOrders.state, "state")}, ${paymentOrders.state})`,
      updatedAt: valueFor(paymentOrders.updatedAt, "now"),
    })
    .where(eq(paymentOrders.id, valueFor(paymentOrders.id, "id")))
    .returning({ version: paymentOrders.version }),
);
