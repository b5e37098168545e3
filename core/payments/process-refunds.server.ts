import { and, asc, eq, inArray, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Transaction } from "#db/database.ts";
import {
  type PaymentAttempt,
  paymentAttempts,
  paymentOrders,
  type Refund,
  refunds,
  type UnknownPayment,
  unknownPayments,
} from "#db/tables/payments.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { type AuthorisedContext, requireSystem } from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import { isHeldByDispute } from "../paid.server.ts";
import { dropRefund, IS_LOST_IN_FULL, selectDisputes } from "./disputes.server.ts";
import type { PaymentGateway } from "./payment-gateway.ts";
import { isOrderOfGateway } from "./payment-orders.server.ts";
import { isLostInFull, lostPaiseOf, UNFINISHED_REFUND_STATES } from "./payment-states.ts";
import { decideLostRefund, sendOrPollRefund } from "./send-refund.server.ts";

const BATCH = 50;
const FAILED = "a refund could not be processed";

const isUnfinished = inArray(refunds.status, UNFINISHED_REFUND_STATES);
/** A refund that the gateway has begun is polled in any case. */
const mayBeSent = or(
  isNotNull(refunds.gatewayRefundId),
  not(isHeldByDispute(paymentAttempts.gatewayPaymentId)),
);
/** The bank has paid the buyer back what the gateway could not refund. */
const isDropped = and(eq(refunds.status, "failed"), IS_LOST_IN_FULL);

/**
 * Sends every requested refund to the gateway, and polls those that the gateway has begun. It may run at any time, and
 * twice at once: because of the idempotency key the gateway refunds once. A refund that the gateway refuses (for
 * example because the shop's balance is too low) stays due. It is tried at growing intervals and logged as an error for
 * the owner. Only the gateway's report makes it final. While a dispute of its payment is open, a refund is not sent; once the
 * payment is lost in full, it is dropped. A restored shop sends and polls none before it is confirmed.
 */
export async function processRefunds(ctx: Context): Promise<{ processed: number; unfinished: number }> {
  requireSystem(ctx);
  if (await isUnconfirmedRestore(ctx.db)) return { processed: 0, unfinished: 0 };
  const known = await processRefundsWhere(ctx, isDue(ctx, refunds));
  const unknown = await processUnknownRefunds(ctx);
  return {
    processed: known.processed + unknown.processed,
    unfinished: known.unfinished + unknown.unfinished,
  };
}

/** One minute after the first try, then two, four, … six hours. */
function isDue(ctx: Context, { tries, updatedAt }: { tries: PgColumn; updatedAt: PgColumn }): SQL {
  return sql`(${tries} = 0 or ${updatedAt} + least(power(2, ${tries} - 1), 360) * interval '1 minute' <= ${ctx.clock.now()})`;
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
  if (gatewayPaymentIds.length === 0 || (await isUnconfirmedRestore(ctx.db))) return;
  await processRefundsWhere(ctx, inArray(paymentAttempts.gatewayPaymentId, [...gatewayPaymentIds]));
}

async function processRefundsWhere(
  ctx: AuthorisedContext,
  condition: SQL,
): Promise<{ processed: number; unfinished: number }> {
  const { gateway } = ctx.ports;
  if (!gateway) return { processed: 0, unfinished: 0 };
  const due = await ctx.db
    .select({
      refund: refunds,
      attempt: paymentAttempts,
      gatewayOrderId: paymentOrders.gatewayOrderId,
    })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(and(or(and(isUnfinished, mayBeSent), isDropped), isOrderOfGateway(gateway), condition))
    .orderBy(asc(refunds.tries), asc(refunds.createdAt))
    .limit(BATCH);
  return processEach(
    due,
    async (one) => (await processRefund(ctx, gateway, one)) === "processed",
    (error, { refund }) => ctx.log.error({ err: error, refundId: refund.id }, FAILED),
  );
}

/**
 * One after the other. A refund that cannot be processed does not prevent the others.
 *
 * @param process returns whether the refund is processed
 */
async function processEach<Due>(
  due: readonly Due[],
  process: (one: Due) => Promise<boolean>,
  onError: (error: unknown, one: Due) => void,
): Promise<{ processed: number; unfinished: number }> {
  let processed = 0;
  const work = async (one: Due) => {
    if (await process(one)) processed++;
    return true;
  };
  await forEachWithConcurrency(due, 1, work, onError);
  return { processed, unfinished: due.length - processed };
}

interface DueRefund {
  refund: Refund;
  attempt: PaymentAttempt;
  gatewayOrderId: string | null;
}

/** @returns the refund's new status; undefined when it has none */
async function processRefund(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  { refund, attempt, gatewayOrderId }: DueRefund,
): Promise<Refund["status"] | undefined> {
  const { gatewayPaymentId, lostPaise } = attempt;
  const isLost = isLostInFull(attempt) && refund.status !== "processing";
  const sent = refund.gatewayRefundId || isLost ? refund : await claim(ctx, refund, gatewayPaymentId);
  if (!sent) return undefined;
  const unfinished = { ...sent, gatewayPaymentId, gatewayOrderId, lostPaise };
  // The recorded amount may have come from a request of this refund whose response was lost.
  const refundedBefore = sent.tries > 0 ? 0 : attempt.refundedPaise;
  const changes = isLost
    ? await decideLostRefund(gateway, unfinished, refundedBefore)
    : await sendOrPollRefund(ctx, gateway, unfinished);
  if (changes.status === "charged-back") {
    await dropRefund(ctx, unfinished);
    return changes.status;
  }
  const tries = Math.max(sent.tries, refund.tries + 1);
  await inTransaction(ctx.db, async (tx) => {
    if (changes.amountPaise !== undefined) {
      await tx
        .update(paymentAttempts)
        .set({ refundedPaise: changes.amountPaise })
        .where(eq(paymentAttempts.id, refund.attemptId));
      changed(tx, paymentAttempts);
    }
    const owedPaise = changes.status === "failed" ? await lockOwedPaise(tx, refund) : undefined;
    // Another run may have finished the refund in the meantime. A final status is not overwritten.
    await tx
      .update(refunds)
      .set({
        ...changes,
        ...(owedPaise !== undefined && { amountPaise: owedPaise }),
        tries,
        updatedAt: ctx.clock.now(),
      })
      .where(and(eq(refunds.id, refund.id), isLost ? eq(refunds.status, refund.status) : isUnfinished));
    changed(tx, refunds);
    if (changes.status === "processed" || changes.status === "failed") await makeOrderDue(ctx, tx, refund);
  });
  return changes.status;
}

/**
 * What is left to pay back of a payment whose refund has failed: a part may have been lost since it was sent. undefined: nothing
 */
async function lockOwedPaise(tx: Transaction, { attemptId }: Refund): Promise<number | undefined> {
  const [attempt] = await tx
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.id, attemptId))
    .for("update");
  return attempt && !isLostInFull(attempt) ? attempt.amountPaise - attempt.lostPaise : undefined;
}

/**
 * Counts the try before the request, so that a refund that was never sent is known from a refund that may have been. Another run,
 * or a dispute that has been recorded since, prevents the request.
 *
 * @returns the refund as it is now; null: it must not be sent
 */
async function claim(
  ctx: AuthorisedContext,
  refund: Refund,
  gatewayPaymentId: string,
): Promise<Refund | null> {
  const [claimed] = await ctx.db
    .update(refunds)
    .set({ tries: sql`${refunds.tries} + 1`, updatedAt: ctx.clock.now() })
    .where(
      and(
        eq(refunds.id, refund.id),
        isUnfinished,
        isNull(refunds.gatewayRefundId),
        not(isHeldByDispute(sql`${gatewayPaymentId}`)),
      ),
    )
    .returning();
  changed(ctx.db, refunds);
  return claimed ?? null;
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

/** The same for the refunds of payments whose orders a restored shop does not know. */
async function processUnknownRefunds(
  ctx: AuthorisedContext,
): Promise<{ processed: number; unfinished: number }> {
  const { gateway } = ctx.ports;
  if (!gateway) return { processed: 0, unfinished: 0 };
  const due = await ctx.db
    .select()
    .from(unknownPayments)
    .where(
      and(
        eq(unknownPayments.state, "refunding"),
        eq(unknownPayments.gateway, gateway.name),
        eq(unknownPayments.testMode, gateway.testMode),
        or(
          isNotNull(unknownPayments.gatewayRefundId),
          not(isHeldByDispute(unknownPayments.gatewayPaymentId)),
        ),
        isDue(ctx, unknownPayments),
      ),
    )
    .orderBy(asc(unknownPayments.tries), asc(unknownPayments.paidAt))
    .limit(BATCH);
  return processEach(
    due,
    (payment) => processUnknownRefund(ctx, gateway, payment),
    (error, { gatewayPaymentId }) => ctx.log.error({ err: error, paymentId: gatewayPaymentId }, FAILED),
  );
}

/** @returns whether the money went back */
async function processUnknownRefund(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  payment: UnknownPayment,
): Promise<boolean> {
  const { id, idempotencyKey, gatewayRefundId } = payment;
  if (idempotencyKey === null) throw new Error(`the refund of payment ${id} has no key`);
  const status = gatewayRefundId === null ? "requested" : "processing";
  const lostPaise = lostPaiseOf(payment.amountPaise, await selectDisputes(ctx.db, [payment]));
  const unfinished = {
    ...payment,
    amountPaise: payment.amountPaise - lostPaise,
    lostPaise,
    idempotencyKey,
    status,
  } as const;
  const isLost = gatewayRefundId === null && isLostInFull({ ...payment, lostPaise });
  if (!isLost && gatewayRefundId === null && !(await claimUnknown(ctx, payment))) return false;
  const report = isLost
    ? await decideLostRefund(gateway, unfinished, payment.refundedPaise)
    : await sendOrPollRefund(ctx, gateway, unfinished);
  const isProcessed = report.status === "processed";
  await ctx.db
    .update(unknownPayments)
    .set({
      gatewayRefundId: report.gatewayRefundId ?? gatewayRefundId,
      lastError: report.lastError,
      tries: payment.tries + 1,
      updatedAt: ctx.clock.now(),
      ...(isProcessed && {
        state: "refunded" as const,
        refundedPaise: report.amountPaise ?? unfinished.amountPaise,
      }),
      ...(report.status === "charged-back" && { state: "charged-back" as const }),
      // The gateway gave up. The shop still has the money, and an admin decides again.
      ...(report.status === "failed" && { state: "waiting" as const }),
    })
    .where(isSameUnknownRefund(payment));
  changed(ctx.db, unknownPayments);
  return isProcessed;
}

/** Another run may have finished this refund, and an admin may have begun another refund. */
const isSameUnknownRefund = ({ id, idempotencyKey }: UnknownPayment) =>
  and(
    eq(unknownPayments.id, id),
    eq(unknownPayments.state, "refunding"),
    eq(unknownPayments.idempotencyKey, idempotencyKey ?? ""),
  );

/** As `claim`. @returns whether it may be sent */
async function claimUnknown(ctx: AuthorisedContext, payment: UnknownPayment): Promise<boolean> {
  const claimed = await ctx.db
    .update(unknownPayments)
    .set({ tries: payment.tries + 1, updatedAt: ctx.clock.now() })
    .where(and(isSameUnknownRefund(payment), not(isHeldByDispute(unknownPayments.gatewayPaymentId))))
    .returning({ id: unknownPayments.id });
  changed(ctx.db, unknownPayments);
  return claimed.length > 0;
}
