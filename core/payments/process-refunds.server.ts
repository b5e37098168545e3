import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { GatewayError, MINIMUM_REFUND_PAISE, type PaymentGateway } from "./payment-gateway.ts";
import { isOrderOfGateway } from "./queries.server.ts";

const BATCH = 50;

const unfinished = inArray(refunds.status, ["requested", "processing"]);

/**
 * Pays back every refund that is decided and not final, and asks how those stand that the gateway has begun. Safe to run
 * at any time and twice at once: the gateway knows the idempotency key. One the gateway refuses (an empty account, say) stays due, is tried again ever more rarely, and is
 * logged as an error for the owner; nothing but the gateway's own word ends it.
 */
export async function processRefunds(ctx: Context): Promise<{ processed: number; unfinished: number }> {
  requireSystem(ctx);
  // One minute after the first try, then two, four, … six hours.
  const isDue = sql`(${refunds.tries} = 0 or ${refunds.updatedAt} + least(power(2, ${refunds.tries} - 1), 360)
    * interval '1 minute' <= ${ctx.clock.now()})`;
  return processRefundsWhere(ctx, isDue);
}

/**
 * Asks at once how the refunds of payments stand that are not final, because the gateway has told of a change. What it told
 * is not believed, and nothing is sent twice, as in `processRefunds`.
 */
export async function pollRefundsOfPayments(
  ctx: Context,
  gatewayPaymentIds: readonly string[],
): Promise<void> {
  requireSystem(ctx);
  if (gatewayPaymentIds.length === 0) return;
  await processRefundsWhere(ctx, inArray(paymentAttempts.gatewayPaymentId, [...gatewayPaymentIds]));
}

async function processRefundsWhere(
  ctx: Context,
  condition: SQL,
): Promise<{ processed: number; unfinished: number }> {
  const { gateway } = ctx.ports;
  if (!gateway) return { processed: 0, unfinished: 0 };
  const due = await ctx.db
    .select({
      refund: refunds,
      paymentId: paymentAttempts.gatewayPaymentId,
      orderId: paymentOrders.gatewayOrderId,
    })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(and(unfinished, isOrderOfGateway(gateway), condition))
    .orderBy(asc(refunds.tries), asc(refunds.createdAt))
    .limit(BATCH);
  let processed = 0;
  for (const { refund, ...payment } of due) {
    try {
      if ((await processRefund(ctx, gateway, refund, payment)) === "processed") processed++;
    } catch (error) {
      // One bad row stands in no other's way.
      ctx.log.error({ err: error, refundId: refund.id }, "a refund could not be looked after");
    }
  }
  return { processed, unfinished: due.length - processed };
}

type Refund = typeof refunds.$inferSelect;
type Change = Partial<typeof refunds.$inferInsert>;

interface PaymentIds {
  paymentId: string;
  orderId: string | null;
}

async function processRefund(
  ctx: Context,
  gateway: PaymentGateway,
  refund: Refund,
  payment: PaymentIds,
): Promise<Change["status"]> {
  const change = await sendOrFetchRefund(ctx, gateway, refund, payment);
  await inTransaction(ctx.db, async (tx) => {
    // Another run may have brought it to its end meanwhile: what is final stays.
    await tx
      .update(refunds)
      .set({ ...change, tries: refund.tries + 1, updatedAt: ctx.clock.now() })
      .where(and(eq(refunds.id, refund.id), unfinished));
    if (change.status === "processed" || change.status === "failed") await makeOrderDue(ctx, tx, refund);
  });
  return change.status;
}

/**
 * Whether all of the money is back now, the gateway says when it is asked about the order: a part may have failed. Its
 * answers to questions asked before are overtaken by this.
 */
async function makeOrderDue(ctx: Context, tx: Transaction, { attemptId }: Refund): Promise<void> {
  const itsOrder = tx
    .select({ id: paymentAttempts.orderId })
    .from(paymentAttempts)
    .where(eq(paymentAttempts.id, attemptId));
  await tx
    .update(paymentOrders)
    .set({ nextPollAt: ctx.clock.now(), version: sql`${paymentOrders.version} + 1` })
    .where(inArray(paymentOrders.id, itsOrder));
}

async function sendOrFetchRefund(
  ctx: Context,
  gateway: PaymentGateway,
  refund: Refund,
  payment: PaymentIds,
): Promise<Change> {
  try {
    const answer = refund.gatewayRefundId
      ? await gateway.fetchRefund({ refundId: refund.gatewayRefundId })
      : await gateway.refund({
          paymentId: payment.paymentId,
          amountPaise: refund.amountPaise,
          idempotencyKey: refund.idempotencyKey,
        });
    const status = answer.status === "pending" ? "processing" : answer.status;
    const level = status === "failed" ? "error" : "info";
    ctx.log[level]({ refundId: refund.id, status }, "refund answered");
    const lastError = status === "failed" ? "The payment provider could not pay it back." : null;
    return { status, gatewayRefundId: answer.refundId, lastError };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const back = error.retryable ? null : await fetchRefundedPaise(gateway, payment);
    if (back !== null && back >= refund.amountPaise) {
      ctx.log.info({ refundId: refund.id }, "refund was made at the gateway");
      return { status: "processed", lastError: null };
    }
    if (back !== null && back > 0) return refundRemainder(ctx, gateway, refund, payment, back);
    const level = error.retryable ? "warn" : "error";
    ctx.log[level]({ err: error, refundId: refund.id }, "refund not carried out");
    return { lastError: error.message };
  }
}

/** A refusal may mean that the owner has paid it back by hand. @returns paise, null when nobody can tell */
async function fetchRefundedPaise(
  gateway: PaymentGateway,
  { orderId, paymentId }: PaymentIds,
): Promise<number | null> {
  if (!orderId) return null;
  try {
    const payments = await gateway.fetchOrderPayments(orderId);
    return payments.find((payment) => payment.paymentId === paymentId)?.refundedPaise ?? null;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return null;
  }
}

/** The owner has paid back a part of it by hand: the buyer gets the rest. */
async function refundRemainder(
  ctx: Context,
  gateway: PaymentGateway,
  refund: Refund,
  { paymentId }: PaymentIds,
  back: number,
): Promise<Change> {
  const amountPaise = refund.amountPaise - back;
  if (amountPaise < MINIMUM_REFUND_PAISE) {
    ctx.log.warn({ refundId: refund.id, amountPaise }, "the rest of a refund is too small to be paid back");
    await ctx.db
      .update(paymentAttempts)
      .set({ refundedPaise: back })
      .where(eq(paymentAttempts.id, refund.attemptId));
    return { status: "processed", amountPaise: back, lastError: null };
  }
  try {
    const idempotencyKey = `${refund.idempotencyKey}-rest-${amountPaise}`;
    const answer = await gateway.refund({ paymentId, amountPaise, idempotencyKey });
    ctx.log.info({ refundId: refund.id, amountPaise }, "the rest of a refund answered");
    const status = answer.status === "pending" ? "processing" : answer.status;
    return { status, gatewayRefundId: answer.refundId, lastError: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.error({ err: error, refundId: refund.id }, "the rest of a refund not carried out");
    return { lastError: error.message };
  }
}
