import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { type PaymentAttempt, type PaymentOrder, paymentAttempts } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import type { AuthorisedContext } from "../authorise.ts";
import type { Context } from "../context.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { applyPurchaseEvent, lockPurchase } from "../passes/apply-purchase-event.server.ts";
import { readCaptureEvent } from "./capture-event.server.ts";
import { decideCapture } from "./decide-capture.server.ts";
import { chargeBack } from "./disputes.server.ts";
import { type PaidAmount, readPaidAmount } from "./paid-amount.ts";
import {
  InvalidPaymentDataError,
  recordDetails,
  recordPartialRefund,
  writePaymentAttempt,
} from "./payment-attempts.server.ts";
import { type GatewayPayment, MINIMUM_REFUND_PAISE, type OrderBalance } from "./payment-gateway.ts";
import { postponeInvalidPayment, recordGatewayPoll } from "./payment-orders.server.ts";
import { isLostInFull, paymentStateOf, paymentTransition } from "./payment-states.ts";
import { markFailedRefundProcessed, refundableOf, reopenRefund, requestRefund } from "./refunds.server.ts";

export type SettlementResult =
  /** `refunded`: a payment was captured and is refunded, or its pass was ended by an admin. `waiting`: no captured payment yet. */
  "pass" | "refunded" | "waiting" | "unknown-order";

export interface Settlement {
  result: SettlementResult;
  /** Its state after the recording; null when no payment was reported. */
  purchase: Purchase | null;
  /** The amount of the payment that pays for the pass; absent: none does. */
  paidPaise?: number | undefined;
}

export interface RecordedPayments extends Settlement {
  /** Its state after the recording. */
  order: PaymentOrder;
  /** Authorised payments that would become a pass. At most one of them will, so the caller captures one at a time. */
  toCapture: readonly GatewayPayment[];
}

/**
 * Another response was recorded since the request for this one, and this one reports a refund, or that a refund has
 * failed. It may be the older of the two, so nothing was written. The gateway has to be asked again.
 */
export class StaleGatewayResponseError extends Error {}

/**
 * Records what the gateway reports about an order's payments, gives every captured payment its outcome (a pass or a
 * refund), and decides which authorised payments are captured. A payment whose amount is undecided gets none yet.
 *
 * @param balance of the order; null: no payment needs it
 * @throws StaleGatewayResponseError
 */
export async function recordPayments(
  ctx: AuthorisedContext,
  order: PaymentOrder,
  payments: readonly GatewayPayment[],
  balance: OrderBalance | null,
): Promise<RecordedPayments> {
  if (payments.length === 0) {
    const version = await recordGatewayPoll(ctx, ctx.db, order, { settled: false, askAgain: null });
    return { result: "waiting", purchase: null, order: { ...order, version }, toCapture: [] };
  }
  try {
    return await recordInTransaction(ctx, { order, payments, balance, overlaps: false });
  } catch (error) {
    // Another pass for this tool was created at the same time. This time the payments are recorded with that fact.
    if (isExclusionViolation(error))
      return recordInTransaction(ctx, { order, payments, balance, overlaps: true });
    if (!(error instanceof InvalidPaymentDataError)) throw error;
    return recordOneByOne(ctx, { order, payments, balance }, error);
  }
}

/** A payment that cannot be stored must not prevent another payment of the order from becoming a pass. */
async function recordOneByOne(
  ctx: AuthorisedContext,
  { order, payments, balance }: Omit<Report, "overlaps">,
  error: InvalidPaymentDataError,
): Promise<RecordedPayments> {
  const [first, ...others] = payments;
  let recorded: RecordedPayments = { result: "waiting", purchase: null, order, toCapture: [] };
  if (first && others.length === 0) {
    ctx.log.error({ err: error, paymentId: first.gatewayPaymentId }, "a payment cannot be stored");
    await postponeInvalidPayment(ctx, order);
    return { ...recorded, order: { ...order, version: order.version + 1 } };
  }
  for (const payment of payments) {
    const next = await recordPayments(ctx, recorded.order, [payment], balance);
    recorded = {
      result: strongerOf(recorded.result, next.result),
      purchase: next.purchase ?? recorded.purchase,
      paidPaise: next.paidPaise ?? recorded.paidPaise,
      order: next.order,
      toCapture: [...recorded.toCapture, ...next.toCapture],
    };
  }
  return recorded;
}

/** The result of an order is the last of these that one of its payments has. */
const RESULTS_BY_PRECEDENCE: SettlementResult[] = ["unknown-order", "waiting", "refunded", "pass"];

function strongerOf(one: SettlementResult, other: SettlementResult): SettlementResult {
  return RESULTS_BY_PRECEDENCE.indexOf(other) > RESULTS_BY_PRECEDENCE.indexOf(one) ? other : one;
}

export interface Report {
  order: PaymentOrder;
  payments: readonly GatewayPayment[];
  balance: OrderBalance | null;
  /** Another pass of the buyer for this tool exists, although the transaction cannot read it yet. */
  overlaps: boolean;
}

async function recordInTransaction(
  ctx: AuthorisedContext,
  { order, payments, balance, overlaps }: Report,
): Promise<RecordedPayments> {
  const { refundAdded, fulfilled, ...recorded } = await inTransaction(ctx.db, async (tx) => {
    // This is the first lock: transactions that record payments of the same order wait here for each other.
    let purchase = await lockPurchase(tx, order.purchaseId);
    if (!purchase) throw new Error(`order ${order.id} has no purchase`);
    const attempts = await readAttempts(tx, order.id);
    let refundAdded = false;
    let fulfilled = false;
    let mayBeStale = false;
    let askAgain: "soon" | "always" | null = null;
    const paidAmountOf = (payment: GatewayPayment) =>
      readPaidAmount(order, payment, balance, ctx.clock.now());
    for (const payment of payments) {
      const attempt = attempts.get(payment.gatewayPaymentId) ?? null;
      const paid = paidAmountOf(payment);
      const next = await recordPayment(ctx, tx, { order, payment, paid, attempt, purchase, overlaps });
      if (next.undecided) askAgain = "soon";
      if (attempt !== null && next.attempt === attempt)
        await recordDetails(ctx, tx, { attempt, payment, purchase });
      if (next.attempt) attempts.set(payment.gatewayPaymentId, next.attempt);
      purchase = next.purchase;
      refundAdded ||= next.refundAdded === true;
      fulfilled ||= next.fulfilled === true;
      mayBeStale ||= next.mayBeStale === true;
    }
    const toCapture: GatewayPayment[] = [];
    for (const payment of payments) {
      const attempt = attempts.get(payment.gatewayPaymentId);
      if (!attempt || payment.status !== "authorized") continue;
      const paid = paidAmountOf(payment);
      const decision = await decideCapture(ctx, tx, { purchase, payment, paid, attempt });
      if (decision === "capture") toCapture.push(payment);
      if (decision === "undecided") askAgain ??= "always";
    }
    const outcomes = [...attempts.values()].flatMap(({ outcome }) => outcome ?? []);
    const settled = outcomes.length > 0;
    if (toCapture.length > 0) askAgain = "soon";
    const version = await recordGatewayPoll(ctx, tx, order, { settled, askAgain });
    if (mayBeStale && version !== order.version + 1) throw new StaleGatewayResponseError();
    return {
      result: resultOf(outcomes),
      paidPaise: [...attempts.values()].find(({ outcome }) => outcome === "pass")?.amountPaise,
      purchase,
      order: { ...order, version },
      toCapture,
      refundAdded,
      fulfilled,
    };
  });
  if (refundAdded) ctx.ports.jobs.triggerSoon("process-refunds");
  if (refundAdded || fulfilled) ctx.ports.jobs.triggerSoon("send-mail");
  return recorded;
}

/** The payment attempts of an order that are recorded already, by the gateway's payment id. */
async function readAttempts(tx: Transaction, orderId: string): Promise<Map<string, PaymentAttempt>> {
  const attempts = await selectAttempts(tx, { orderId });
  return new Map(attempts.map((attempt) => [attempt.gatewayPaymentId, attempt]));
}

const selectAttempts = prepareStatement("list-payment-attempts", (tx) =>
  tx
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.orderId, valueFor(paymentAttempts.orderId, "orderId"))),
);

function resultOf(outcomes: readonly PaymentAttempt["outcome"][]): SettlementResult {
  if (outcomes.includes("pass")) return "pass";
  return outcomes.length > 0 ? "refunded" : "waiting";
}

interface ReportedPayment {
  order: PaymentOrder;
  /** Locked by the caller. */
  purchase: Purchase;
  payment: GatewayPayment;
  paid: PaidAmount;
  /** The payment's row; null when the payment is new. */
  attempt: PaymentAttempt | null;
  overlaps: boolean;
}

interface RecordedPayment {
  purchase: Purchase;
  attempt: PaymentAttempt | null;
  /** A refund was requested, again or for the first time, or a refund of the owner was recorded. */
  refundAdded?: boolean;
  /** The payment became a pass: a receipt was queued. */
  fulfilled?: true;
  /** A captured payment, of which nothing is recorded yet. */
  undecided?: true;
  /** The response may be older than what was recorded in the meantime. */
  mayBeStale?: boolean;
}

/** Records one payment of the gateway's response. A captured payment gets exactly one outcome. */
async function recordPayment(
  ctx: Context,
  tx: Transaction,
  reported: ReportedPayment,
): Promise<RecordedPayment> {
  const { payment, paid, attempt, purchase } = reported;
  const state = paymentStateOf(attempt);
  const transition = paymentTransition(state, `gateway-${payment.status}`);
  const newState = transition.kind === "transition" ? transition.to : state;
  if (newState === "captured") {
    return paid.pays === "undecided"
      ? { purchase, attempt, undecided: true }
      : recordCapture(ctx, tx, reported);
  }
  if (attempt && newState === "refund" && payment.status === "refunded") {
    return recordReversal(ctx, tx, reported, attempt);
  }
  // The owner may also refund what the bank has taken back.
  if (attempt?.outcome && (payment.status === "captured" || attempt.outcome === "chargeback")) {
    return recordRefundedAmount(ctx, tx, reported, attempt);
  }
  if (transition.kind !== "transition") return { purchase, attempt };
  const written = await writePaymentAttempt(ctx, tx, { ...reported, state: newState, buyerFeePaise: 0 });
  return { purchase, attempt: written };
}

/**
 * Gives a captured payment its outcome. The state of its purchase decides between a pass and a refund: the rule is
 * `captured` in core/passes/purchase-states.ts.
 */
async function recordCapture(
  ctx: Context,
  tx: Transaction,
  reported: ReportedPayment,
): Promise<RecordedPayment> {
  const { payment, paid } = reported;
  const event = await readCaptureEvent(ctx, tx, reported);
  const { purchase, refund } = await applyPurchaseEvent(ctx, tx, reported.purchase, event);
  const decided = paymentTransition("captured", refund ? "refund" : "fulfil");
  if (decided.kind !== "transition") throw new Error("a captured payment has no outcome");
  const buyerFeePaise = paid.pays === "order" ? paid.buyerFeePaise : 0;
  const attempt = await writePaymentAttempt(ctx, tx, { ...reported, state: decided.to, buyerFeePaise });
  if (refund) {
    const alreadyRefunded = payment.status === "refunded";
    await requestRefund(ctx, tx, { purchase, attempt, reason: refund, alreadyRefunded });
    return { purchase, attempt, refundAdded: true };
  }
  await queuePurchaseMail(ctx, tx, "purchase-receipt", purchase);
  ctx.log.info({ purchaseId: purchase.id, paymentId: payment.gatewayPaymentId }, "pass created");
  return { purchase, attempt, fulfilled: true };
}

/**
 * Records how much of a captured payment was refunded at the gateway: nothing, or a part of it. When disputes have taken the rest,
 * nothing is left of it.
 */
async function recordRefundedAmount(
  ctx: Context,
  tx: Transaction,
  { purchase, payment: { refundedPaise } }: ReportedPayment,
  known: PaymentAttempt,
): Promise<RecordedPayment> {
  if (refundedPaise === null) return { purchase, attempt: known };
  const changed = refundedPaise !== known.refundedPaise;
  const attempt = changed
    ? await recordPartialRefund(ctx, tx, { purchaseId: purchase.id, attempt: known, refundedPaise })
    : known;
  if (known.outcome !== "refund") {
    const isLost = changed && isLostInFull(attempt);
    const now = isLost
      ? await chargeBack(ctx, tx, { purchase, attempt, event: "charge-back" })
      : { purchase, attempt };
    return { ...now, mayBeStale: changed };
  }
  if (refundableOf({ ...known, refundedPaise }) < MINIMUM_REFUND_PAISE) {
    const completed = await markFailedRefundProcessed(ctx, tx, known.id, refundedPaise);
    return { purchase, attempt, mayBeStale: changed || completed };
  }
  const reopened = await reopenRefund(ctx, tx, { purchase, attempt });
  return { purchase, attempt, refundAdded: reopened, mayBeStale: changed || reopened };
}

/**
 * Records a reversal: a payment with an outcome was refunded in full on the gateway's own pages. If it pays for a pass,
 * the pass ends.
 */
async function recordReversal(
  ctx: Context,
  tx: Transaction,
  reported: ReportedPayment,
  attempt: PaymentAttempt,
): Promise<RecordedPayment> {
  if (attempt.outcome === "refund") {
    const completed = await markFailedRefundProcessed(ctx, tx, attempt.id, attempt.amountPaise);
    return { purchase: reported.purchase, attempt, mayBeStale: completed };
  }
  const { purchase } =
    attempt.outcome === "pass"
      ? await applyPurchaseEvent(ctx, tx, reported.purchase, { type: "payment-reversed" })
      : reported;
  await requestRefund(ctx, tx, { purchase, attempt, reason: "refunded-at-gateway", alreadyRefunded: true });
  return { purchase, attempt: { ...attempt, outcome: "refund" }, refundAdded: true, mayBeStale: true };
}
