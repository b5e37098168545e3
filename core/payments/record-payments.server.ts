import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, type PaymentOrder, paymentAttempts } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import { applyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";
import { lockPurchase } from "../purchases/lock-purchase.server.ts";
import { readCaptureEvent } from "./capture-event.server.ts";
import { decideCapture } from "./decide-capture.server.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { MINIMUM_REFUND_PAISE } from "./payment-gateway.ts";
import { paymentStateOf, paymentTransition } from "./payment-machine.ts";
import {
  finishFailedRefund,
  InvalidPaymentDataError,
  postponeInvalidPayment,
  recordGatewayPoll,
  recordPartialRefund,
  reopenRefund,
  writePaymentAttempt,
} from "./payment-records.server.ts";
import { requestRefund } from "./request-refund.server.ts";
import type { Settlement } from "./settle-order.server.ts";

export interface RecordedPayments extends Settlement {
  /** As it is now. */
  order: PaymentOrder;
  /** Authorised payments that would become a pass; at most one of them will, so the caller captures one at a time. */
  toCapture: readonly GatewayPayment[];
}

/**
 * Writes down what the gateway said, turns every captured payment not yet accounted for into a pass or a refund, and decides
 * which authorised payments are captured.
 */
export async function recordPayments(
  ctx: Context,
  order: PaymentOrder,
  payments: readonly GatewayPayment[],
): Promise<RecordedPayments> {
  if (payments.length === 0) {
    const version = await recordGatewayPoll(ctx, ctx.db, order, { settled: false, capturing: false });
    return { result: "waiting", purchase: null, order: { ...order, version: version }, toCapture: [] };
  }
  try {
    return await account(ctx, { order, payments, overlaps: false });
  } catch (error) {
    // Another pass for this tool came to life in between. What was rolled back is decided anew with that in mind.
    if (isExclusionViolation(error)) return account(ctx, { order, payments, overlaps: true });
    if (!(error instanceof InvalidPaymentDataError)) throw error;
    return accountOneByOne(ctx, order, payments, error);
  }
}

/** One payment that cannot be written down must not keep the others of its order from becoming a pass. */
async function accountOneByOne(
  ctx: Context,
  order: PaymentOrder,
  payments: readonly GatewayPayment[],
  error: unknown,
): Promise<RecordedPayments> {
  const [first, ...others] = payments;
  let sum: RecordedPayments = { result: "waiting", purchase: null, order, toCapture: [] };
  if (first && others.length === 0) {
    ctx.log.error({ err: error, paymentId: first.paymentId }, "a payment cannot be written down");
    await postponeInvalidPayment(ctx, order);
    return { ...sum, order: { ...order, version: order.version + 1 } };
  }
  for (const payment of payments) {
    const next = await recordPayments(ctx, sum.order, [payment]);
    sum = {
      result: RANKS.indexOf(next.result) > RANKS.indexOf(sum.result) ? next.result : sum.result,
      purchase: next.purchase ?? sum.purchase,
      order: next.order,
      toCapture: [...sum.toCapture, ...next.toCapture],
    };
  }
  return sum;
}

const RANKS: Settlement["result"][] = ["unknown-order", "waiting", "refunded", "pass"];

/**
 * Another answer was booked between our question and now, and ours tells of money that went back or came again: it may be
 * the older of the two. Nothing was written; the gateway has to be asked again.
 */
export class StaleGatewayResponseError extends Error {}

interface Accounting {
  order: PaymentOrder;
  payments: readonly GatewayPayment[];
  overlaps: boolean;
}

async function account(ctx: Context, input: Accounting): Promise<RecordedPayments> {
  const { order } = input;
  const { outcomes, refunds, purchase, version, toCapture } = await inTransaction(ctx.db, async (tx) => {
    // First of all locks: whoever accounts for this order's money waits here for the others.
    const locked = await lockPurchase(tx, order.purchaseId);
    if (!locked) throw new Error(`order ${order.id} has no purchase`);
    const known = await tx.select().from(paymentAttempts).where(eq(paymentAttempts.orderId, order.id));
    const attempts = new Map(known.map((attempt) => [attempt.gatewayPaymentId, attempt]));
    let purchase = locked;
    let refunds = 0;
    let mayBeOld = false;
    for (const payment of input.payments) {
      const known = attempts.get(payment.paymentId) ?? null;
      const done = await accountForOne(ctx, tx, { ...input, payment, known, purchase });
      if (done.attempt) attempts.set(payment.paymentId, done.attempt);
      purchase = done.purchase;
      if (done.refunded) refunds++;
      mayBeOld ||= done.mayBeOld;
    }
    const toCapture: GatewayPayment[] = [];
    for (const payment of input.payments) {
      const attempt = attempts.get(payment.paymentId);
      if (attempt && (await decideCapture(ctx, tx, { order, purchase, payment, attempt }))) {
        toCapture.push(payment);
      }
    }
    const outcomes = [...attempts.values()].map(({ outcome }) => outcome);
    const settled = outcomes.some((outcome) => outcome !== null);
    const version = await recordGatewayPoll(ctx, tx, order, { settled, capturing: toCapture.length > 0 });
    if (mayBeOld && version !== order.version + 1) throw new StaleGatewayResponseError();
    return { outcomes, refunds, purchase, version, toCapture };
  });
  if (refunds > 0) {
    ctx.ports.jobs.triggerSoon("carry-out-refunds");
    ctx.ports.jobs.triggerSoon("send-mail");
  }
  const accounted = outcomes.some((outcome) => outcome !== null) ? "refunded" : "waiting";
  const result = outcomes.includes("pass") ? "pass" : accounted;
  return { result, purchase, order: { ...order, version: version }, toCapture };
}

interface Told {
  order: PaymentOrder;
  purchase: Purchase;
  payment: GatewayPayment;
  /** Our row of this payment; null when it is news. */
  known: PaymentAttempt | null;
  overlaps: boolean;
}

interface Done {
  purchase: Purchase;
  attempt: PaymentAttempt | null;
  refunded: boolean;
  /** What was told can be true of one moment and not of the next. */
  mayBeOld: boolean;
}

async function accountForOne(ctx: Context, tx: Transaction, told: Told): Promise<Done> {
  const { payment, known, purchase } = told;
  const state = paymentStateOf(known);
  const move = paymentTransition(state, `gateway-${payment.status}`);
  const next = move.kind === "transition" ? move.to : state;
  if (next === "captured") return accountForCapture(ctx, tx, told);
  if (known && next === "refund" && payment.status === "refunded") return noteReversal(ctx, tx, told, known);
  if (known?.outcome && payment.status === "captured") return noteWhatIsBack(ctx, tx, told, known);
  if (move.kind !== "transition") return { purchase, attempt: known, refunded: false, mayBeOld: false };
  const attempt = await writePaymentAttempt(ctx, tx, { ...told, outcome: null });
  return { purchase, attempt, refunded: false, mayBeOld: false };
}

/** Less than all of it is back: a refund that was thought done is made again, and a part is kept book of. */
async function noteWhatIsBack(
  ctx: Context,
  tx: Transaction,
  { purchase, payment: { refundedPaise } }: Told,
  known: PaymentAttempt,
): Promise<Done> {
  if (refundedPaise === null) return { purchase, attempt: known, refunded: false, mayBeOld: false };
  const attempt =
    refundedPaise === known.refundedPaise
      ? known
      : await recordPartialRefund(ctx, tx, { purchaseId: purchase.id, known, refundedPaise });
  const noted = attempt !== known;
  if (known.outcome !== "refund") return { purchase, attempt, refunded: false, mayBeOld: noted };
  if (known.amountPaise - refundedPaise < MINIMUM_REFUND_PAISE) {
    const finished = await finishFailedRefund(ctx, tx, known.id, refundedPaise);
    return { purchase, attempt, refunded: false, mayBeOld: noted || finished };
  }
  const reopened = await reopenRefund(ctx, tx, { purchase, attempt: known });
  return { purchase, attempt, refunded: reopened, mayBeOld: noted || reopened };
}

async function accountForCapture(ctx: Context, tx: Transaction, told: Told): Promise<Done> {
  const { payment } = told;
  const alreadyRefunded = payment.status === "refunded";
  const event = await readCaptureEvent(ctx, tx, told);
  const { purchase, refund } = await applyPurchaseEvent(ctx, tx, told.purchase, event);
  const attempt = await writePaymentAttempt(ctx, tx, { ...told, outcome: refund ? "refund" : "pass" });
  if (refund) await requestRefund(ctx, tx, { purchase, attempt, reason: refund, alreadyRefunded });
  else ctx.log.info({ purchaseId: purchase.id, paymentId: payment.paymentId }, "payment became a pass");
  return { purchase, attempt, refunded: refund !== null, mayBeOld: false };
}

/** Money that we have accounted for went back by the gateway's own hand: a pass that lived on it ends. */
async function noteReversal(
  ctx: Context,
  tx: Transaction,
  told: Told,
  attempt: PaymentAttempt,
): Promise<Done> {
  if (attempt.outcome === "refund") {
    const finished = await finishFailedRefund(ctx, tx, attempt.id, attempt.amountPaise);
    return { purchase: told.purchase, attempt, refunded: false, mayBeOld: finished };
  }
  const { purchase } =
    attempt.outcome === "pass"
      ? await applyPurchaseEvent(ctx, tx, told.purchase, { type: "payment-reversed" })
      : told;
  await requestRefund(ctx, tx, { purchase, attempt, reason: "refunded-at-gateway", alreadyRefunded: true });
  return { purchase, attempt: { ...attempt, outcome: "refund" }, refunded: true, mayBeOld: true };
}
