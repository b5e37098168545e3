import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { paymentAttempts, paymentOrders, type Refund, refunds } from "#db/tables/payments.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import {
  GatewayError,
  type GatewayRefund,
  MINIMUM_REFUND_PAISE,
  type PaymentGateway,
} from "./payment-gateway.ts";
import { isOrderOfGateway } from "./payment-orders.server.ts";
import { refundTransition, UNFINISHED_REFUND_STATES } from "./payment-states.ts";

const BATCH = 50;

const isUnfinished = inArray(refunds.status, UNFINISHED_REFUND_STATES);

/**
 * Sends every requested refund to the gateway, and polls those that the gateway has begun. It may run at any time, and
 * twice at once: because of the idempotency key the gateway refunds once. A refund that the gateway refuses (for
 * example because the shop's balance is too low) stays due. It is tried at growing intervals and logged as an error for
 * the owner. Only the gateway's report makes it final.
 */
export async function processRefunds(ctx: Context): Promise<{ processed: number; unfinished: number }> {
  requireSystem(ctx);
  // One minute after the first try, then two, four, … six hours.
  const isDue = sql`(${refunds.tries} = 0 or ${refunds.updatedAt} + least(power(2, ${refunds.tries} - 1), 360)
    * interval '1 minute' <= ${ctx.clock.now()})`;
  return processRefundsWhere(ctx, isDue);
}

/**
 * Polls the unfinished refunds of payments at once, because a webhook event reports a change. The event's content is
 * not trusted, and nothing is sent twice, as in `processRefunds`.
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
      gatewayPaymentId: paymentAttempts.gatewayPaymentId,
      gatewayOrderId: paymentOrders.gatewayOrderId,
    })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(and(isUnfinished, isOrderOfGateway(gateway), condition))
    .orderBy(asc(refunds.tries), asc(refunds.createdAt))
    .limit(BATCH);
  let processed = 0;
  for (const { refund, ...payment } of due) {
    try {
      if ((await processRefund(ctx, gateway, refund, payment)) === "processed") processed++;
    } catch (error) {
      // A refund that cannot be processed must not prevent the others.
      ctx.log.error({ err: error, refundId: refund.id }, "a refund could not be processed");
    }
  }
  return { processed, unfinished: due.length - processed };
}

type Changes = Partial<typeof refunds.$inferInsert>;

interface PaymentIds {
  gatewayPaymentId: string;
  gatewayOrderId: string | null;
}

/** @returns the refund's new status; undefined when it has none */
async function processRefund(
  ctx: Context,
  gateway: PaymentGateway,
  refund: Refund,
  payment: PaymentIds,
): Promise<Changes["status"]> {
  const changes = await sendOrPoll(ctx, gateway, refund, payment);
  await inTransaction(ctx.db, async (tx) => {
    // Another run may have finished the refund in the meantime. A final status is not overwritten.
    await tx
      .update(refunds)
      .set({ ...changes, tries: refund.tries + 1, updatedAt: ctx.clock.now() })
      .where(and(eq(refunds.id, refund.id), isUnfinished));
    changed(tx, refunds);
    if (changes.status === "processed" || changes.status === "failed") await makeOrderDue(ctx, tx, refund);
  });
  return changes.status;
}

/**
 * Makes the refund's order due for a poll, because only the gateway's report about the order shows whether all of the
 * money was refunded: a part may have failed. Responses to earlier polls become stale.
 */
async function makeOrderDue(ctx: Context, tx: Transaction, { attemptId }: Refund): Promise<void> {
  const orderId = tx
    .select({ id: paymentAttempts.orderId })
    .from(paymentAttempts)
    .where(eq(paymentAttempts.id, attemptId));
  await tx
    .update(paymentOrders)
    .set({ nextPollAt: ctx.clock.now(), version: sql`${paymentOrders.version} + 1` })
    .where(inArray(paymentOrders.id, orderId));
  changed(tx, paymentOrders);
}

/** @returns what the gateway's answer changes in the refund's row */
async function sendOrPoll(
  ctx: Context,
  gateway: PaymentGateway,
  refund: Refund,
  payment: PaymentIds,
): Promise<Changes> {
  try {
    const reported = refund.gatewayRefundId
      ? await gateway.fetchRefund({ gatewayRefundId: refund.gatewayRefundId })
      : await gateway.refund({
          gatewayPaymentId: payment.gatewayPaymentId,
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
    const refundedPaise = error.retryable ? null : await fetchRefundedPaise(gateway, payment);
    if (refundedPaise !== null && refundedPaise >= refund.amountPaise) {
      ctx.log.info({ refundId: refund.id }, "the refund was made on the gateway's own pages");
      return { status: "processed", lastError: null };
    }
    if (refundedPaise !== null && refundedPaise > 0) {
      return refundRemainder(ctx, gateway, refund, payment, refundedPaise);
    }
    const level = error.retryable ? "warn" : "error";
    ctx.log[level]({ err: error, refundId: refund.id }, "the gateway did not make a refund");
    return { lastError: error.message };
  }
}

function changesByReport(refund: Refund, { gatewayRefundId, status }: GatewayRefund): Changes {
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
  { gatewayOrderId, gatewayPaymentId }: PaymentIds,
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
  ctx: Context,
  gateway: PaymentGateway,
  refund: Refund,
  { gatewayPaymentId }: PaymentIds,
  refundedPaise: number,
): Promise<Changes> {
  const amountPaise = refund.amountPaise - refundedPaise;
  if (amountPaise < MINIMUM_REFUND_PAISE) {
    ctx.log.warn({ refundId: refund.id, amountPaise }, "the remainder of a refund is below the minimum");
    await ctx.db
      .update(paymentAttempts)
      .set({ refundedPaise })
      .where(eq(paymentAttempts.id, refund.attemptId));
    changed(ctx.db, paymentAttempts);
    return { status: "processed", amountPaise: refundedPaise, lastError: null };
  }
  try {
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
