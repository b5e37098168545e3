import { eq, or, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import { prepareWrite, valueFor, valuesFor } from "#db/prepared-statement.ts";
import {
  type PaymentAttempt,
  type PaymentOrder,
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  webhookEvents,
} from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed, isInvalidDataError } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { NO_PAYER, payerColumnsOf, payersKeptSince } from "../vault/seal-payer.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { type PaymentState, storedOutcomeOf } from "./payment-states.ts";

/** The gateway reports a payment with values that our columns cannot hold. */
export class InvalidPaymentDataError extends Error {}

/** Writes what the gateway reports about one payment, and the state that it has now. */
export async function writePaymentAttempt(
  ctx: Context,
  tx: Transaction,
  input: {
    order: PaymentOrder;
    purchase: Purchase;
    payment: GatewayPayment;
    /** The payment's row; null when the payment is new. */
    attempt: PaymentAttempt | null;
    state: PaymentState;
    /** The part of the amount that is the gateway's fee, in paise; 0 before the capture. */
    buyerFeePaise: number;
  },
): Promise<PaymentAttempt> {
  const { order, payment, state, buyerFeePaise } = input;
  const status = payment.status === "refunded" ? "captured" : payment.status;
  const id = input.attempt?.id ?? uuidv7();
  const values = {
    ...detailsOf(ctx, { ...input, id }),
    status,
    outcome: storedOutcomeOf(state),
    buyerFeePaise,
    method: payment.method,
    errorDescription: payment.errorDescription,
    capturedAt: status === "captured" ? ctx.clock.now() : null,
    refundedPaise: payment.status === "captured" ? (payment.refundedPaise ?? 0) : 0,
  };
  try {
    const [attempt] = input.attempt
      ? await tx
          .update(paymentAttempts)
          .set({ ...values, updatedAt: ctx.clock.now() })
          .where(eq(paymentAttempts.id, input.attempt.id))
          .returning()
      : await insertAttempt(tx, {
          ...NO_PAYER,
          ...values,
          id,
          orderId: order.id,
          gatewayPaymentId: payment.gatewayPaymentId,
          amountPaise: payment.amountPaise,
          createdAt: ctx.clock.now(),
        });
    changed(tx, paymentAttempts);
    if (!attempt) throw new Error(`payment ${payment.gatewayPaymentId} was not written`);
    return attempt;
  } catch (error) {
    throw isInvalidDataError(error)
      ? new InvalidPaymentDataError(payment.gatewayPaymentId, { cause: error })
      : error;
  }
}

/**
 * The fee, and the payer where it differs from the recorded one. The payer of an old payment, or a payer whose account is
 * deleted, is not kept.
 */
function detailsOf(
  ctx: Context,
  reported: { id: string; attempt: PaymentAttempt | null; payment: GatewayPayment; purchase: Purchase },
) {
  const { id, attempt, payment, purchase } = reported;
  const now = ctx.clock.now();
  // The address of a deleted account is removed.
  const isKept = purchase.userEmail.includes("@") && (attempt?.createdAt ?? now) > payersKeptSince(now);
  const row = { table: "payment_attempts" as const, id, known: attempt?.payerHashes ?? null };
  const unkept = attempt?.payerHashes ? undefined : NO_PAYER;
  return {
    feePaise: payment.feePaise ?? attempt?.feePaise ?? null,
    taxPaise: payment.taxPaise ?? attempt?.taxPaise ?? null,
    ...(isKept ? payerColumnsOf(ctx.ports.cipher, row, payment) : unkept),
  };
}

/** Records the fee and the payer of a payment whose state stays: an older version kept none, or a bank has named it since. */
export async function recordDetails(
  ctx: Context,
  tx: Transaction,
  reported: { attempt: PaymentAttempt; payment: GatewayPayment; purchase: Purchase },
): Promise<void> {
  const { attempt } = reported;
  const details = detailsOf(ctx, { ...reported, id: attempt.id });
  const hasSameFee = details.feePaise === attempt.feePaise && details.taxPaise === attempt.taxPaise;
  if (hasSameFee && !("payerHashes" in details)) return;
  await tx
    .update(paymentAttempts)
    .set({ ...details, updatedAt: sql`${paymentAttempts.updatedAt}` })
    .where(eq(paymentAttempts.id, attempt.id));
  changed(tx, paymentAttempts);
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
        "buyerFeePaise",
        "status",
        "outcome",
      ]),
      ...valuesFor(paymentAttempts, [
        "method",
        "feePaise",
        "taxPaise",
        "payerSealed",
        "payerHashes",
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

/** Whether a captured payment has its outcome. */
export async function isPaymentSettled(executor: Executor, gatewayPaymentId: string): Promise<boolean> {
  const [attempt] = await executor
    .select({ outcome: paymentAttempts.outcome })
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, gatewayPaymentId));
  return (attempt?.outcome ?? null) !== null;
}

/**
 * Empties what the gateway has written about the payments of a person whose account is deleted: the bodies of webhooks, which
 * have the address and the phone number, who paid, and why payments were declined or disputed. The events are still processed,
 * because that needs no body. The caller has locked the account.
 */
export async function forgetWordsOfGateway(tx: Transaction, userId: string): Promise<void> {
  const orders = await tx
    .select({ id: paymentOrders.id, gatewayOrderId: paymentOrders.gatewayOrderId })
    .from(paymentOrders)
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(eq(userPurchases.userId, userId));
  const orderIds = orders.map(({ id }) => id);
  const gatewayOrderIds = orders.flatMap(({ gatewayOrderId }) => gatewayOrderId ?? []);
  const payments = await tx
    .update(paymentAttempts)
    .set({ errorDescription: null, ...NO_PAYER })
    .where(isOneOf(paymentAttempts.orderId, orderIds))
    .returning({ id: paymentAttempts.gatewayPaymentId });
  const paymentIds = payments.map(({ id }) => id);
  await tx
    .update(paymentDisputes)
    .set({ reason: null, updatedAt: sql`${paymentDisputes.updatedAt}` })
    .where(isOneOf(paymentDisputes.gatewayPaymentId, paymentIds));
  // The event of a refund may name its payment only. With a subquery, Postgres would read all events instead of the indexes.
  await tx
    .update(webhookEvents)
    .set({ payload: "" })
    .where(
      or(
        isOneOf(webhookEvents.gatewayOrderId, gatewayOrderIds),
        isOneOf(webhookEvents.gatewayPaymentId, paymentIds),
      ),
    );
  changed(tx, paymentAttempts, paymentDisputes, webhookEvents);
}

/** With one parameter, however many values there are. */
const isOneOf = (column: PgColumn, values: readonly string[]) =>
  sql`${column} = any(${sql.param(values)}::${sql.raw(column.getSQLType())}[])`;
