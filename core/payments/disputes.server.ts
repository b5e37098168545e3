import { and, eq, inArray, lte, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import {
  type PaymentAttempt,
  type PaymentDispute,
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  refunds,
  type UnknownPayment,
  unknownPayments,
} from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { AuthorisedContext } from "../authorise.ts";
import type { Context } from "../context.ts";
import { queueMail, queueOwnerMail } from "../mail/queue-mail.server.ts";
import { applyPurchaseEvent, lockPurchase } from "../passes/apply-purchase-event.server.ts";
import { formatDateTime, MINUTE } from "../time.ts";
import type { GatewayDispute, PaymentGateway } from "./payment-gateway.ts";
import {
  DISPUTE_TABLE,
  holdsRefund,
  isLostInFull,
  lostPaiseOf,
  OPEN_DISPUTE_STATES,
  type PaymentEvent,
  paymentStateOf,
  paymentTransition,
  REFUND_TABLE,
  statesChangedBy,
  storedOutcomeOf,
} from "./payment-states.ts";

/** `isLostInFull` in SQL, for a query on `payment_attempts`. */
export const IS_LOST_IN_FULL = sql`(${paymentAttempts.lostPaise} > 0 and ${paymentAttempts.amountPaise}
  - ${paymentAttempts.buyerFeePaise} - ${paymentAttempts.refundedPaise} - ${paymentAttempts.lostPaise} <= 0)`;

/** The disputes of payments, in no order. */
export function selectDisputes(
  executor: Executor,
  payments: readonly { gatewayPaymentId: string }[],
): Promise<PaymentDispute[]> {
  const ids = payments.map(({ gatewayPaymentId }) => gatewayPaymentId);
  return executor.select().from(paymentDisputes).where(inArray(paymentDisputes.gatewayPaymentId, ids));
}

/**
 * Records what the gateway reports about a dispute, also one of a payment that the shop does not know. While it is open, the job
 * `process-refunds` holds a refund of its payment, and the owner gets a mail. A loss is out of the revenue; a loss of all that
 * is left gives the payment the outcome chargeback and ends its pass. It may run any number of times, and in any order.
 */
export async function recordDispute(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  reported: GatewayDispute,
): Promise<void> {
  const { gatewayPaymentId } = reported;
  const isDecided = await inTransaction(ctx.db, async (tx) => {
    // The first lock, as for everything that changes a payment.
    const known = await lockPayment(tx, gatewayPaymentId);
    const unknown = known ? null : await lockUnknownPayment(tx, gatewayPaymentId);
    const isErased = known?.purchase.userEmail.includes("@") === false;
    const status = await writeDispute(ctx, tx, gateway, isErased ? { ...reported, reason: null } : reported);
    const toolName = known?.purchase.toolName ?? null;
    if (status === "open" || status === "under_review")
      await queueOwnerMail(ctx, tx, { kind: "dispute-opened", facts: mailFacts(ctx, reported, toolName) });
    const disputes = await selectDisputes(tx, [reported]);
    if (known)
      await recordLoss(ctx, tx, { ...known, lostPaise: lostPaiseOf(known.attempt.amountPaise, disputes) });
    if (unknown) await recordUnknownLoss(ctx, tx, unknown, lostPaiseOf(unknown.amountPaise, disputes));
    const isNews = status !== null && !OPEN_DISPUTE_STATES.includes(status);
    if (!isNews || disputes.some(holdsRefund)) return false;
    await makeRefundsDue(ctx, tx, { attemptId: known?.attempt.id ?? null, gatewayPaymentId });
    return true;
  });
  if (isDecided) ctx.ports.jobs.triggerSoon("process-refunds");
}

interface KnownPayment {
  purchase: Purchase;
  attempt: PaymentAttempt;
}

/** Locks the purchase of a payment, and reads the payment. @returns null when the shop does not know it */
async function lockPayment(tx: Transaction, gatewayPaymentId: string): Promise<KnownPayment | null> {
  const select = () =>
    tx
      .select({ attempt: paymentAttempts, purchaseId: paymentOrders.purchaseId })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .where(eq(paymentAttempts.gatewayPaymentId, gatewayPaymentId));
  const [found] = await select();
  const purchase = found ? await lockPurchase(tx, found.purchaseId) : null;
  // Another transaction may have changed it before the lock.
  const [locked] = purchase ? await select() : [];
  return purchase && locked ? { purchase, attempt: locked.attempt } : null;
}

async function lockUnknownPayment(tx: Transaction, gatewayPaymentId: string): Promise<UnknownPayment | null> {
  const [payment] = await tx
    .select()
    .from(unknownPayments)
    .where(eq(unknownPayments.gatewayPaymentId, gatewayPaymentId))
    .for("update");
  return payment ?? null;
}

/** @returns the status that it has got by this report; null: it had it before, or the report is older */
async function writeDispute(
  ctx: Context,
  tx: Transaction,
  { name, testMode }: PaymentGateway,
  { createdAt: openedAt, ...facts }: GatewayDispute,
): Promise<PaymentDispute["status"] | null> {
  const now = ctx.clock.now();
  const row = { ...facts, gateway: name, testMode, openedAt, createdAt: now, updatedAt: now };
  const [added] = await tx.insert(paymentDisputes).values(row).onConflictDoNothing().returning();
  changed(tx, paymentDisputes);
  if (added) return added.status;
  const [stored] = await tx
    .select()
    .from(paymentDisputes)
    .where(eq(paymentDisputes.gatewayDisputeId, facts.gatewayDisputeId))
    .for("update");
  if (!stored) throw new Error(`dispute ${facts.gatewayDisputeId} was not written`);
  const status = DISPUTE_TABLE[stored.status][facts.status];
  if (status === null && stored.status !== facts.status) return null;
  // The words stay empty once the account is deleted.
  const { amountPaise, deductedPaise, phase, respondBy } = facts;
  await tx
    .update(paymentDisputes)
    .set({
      amountPaise,
      deductedPaise,
      phase,
      respondBy,
      ...(status === null ? { updatedAt: stored.updatedAt } : { status, updatedAt: now }),
    })
    .where(eq(paymentDisputes.id, stored.id));
  changed(tx, paymentDisputes);
  return status;
}

function mailFacts(ctx: Context, dispute: GatewayDispute, toolName: string | null) {
  const { gatewayPaymentId, amountPaise, phase, reason, reasonCode, respondBy } = dispute;
  return {
    toolName,
    paymentId: gatewayPaymentId,
    amountPaise,
    reason: reason ?? reasonCode,
    respondBy: respondBy && formatDateTime(respondBy, ctx.store.timeZone),
    mustRefund: phase === "fraud",
    adminUrl: `${ctx.store.origin}/admin/overview`,
  };
}

/**
 * Takes a loss out of the revenue, and of a refund that was not sent or failed: a refund that the gateway has begun keeps what
 * was asked of it. A loss of all that is left is a chargeback.
 */
async function recordLoss(
  ctx: Context,
  tx: Transaction,
  { purchase, attempt: before, lostPaise }: KnownPayment & { lostPaise: number },
): Promise<void> {
  const attempt = { ...before, lostPaise };
  const isInFull = isLostInFull(attempt);
  if (isInFull) await chargeBack(ctx, tx, { purchase, attempt, event: "charge-back" });
  if (lostPaise === before.lostPaise) return;
  await tx
    .update(paymentAttempts)
    .set({ lostPaise, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, attempt.id));
  changed(tx, paymentAttempts);
  // The job decides about the refund of a payment that is lost in full.
  if (isInFull) return;
  await tx
    .update(refunds)
    .set({ amountPaise: attempt.amountPaise - lostPaise })
    .where(
      and(
        eq(refunds.attemptId, attempt.id),
        inArray(refunds.status, statesChangedBy(REFUND_TABLE, "charged-back")),
      ),
    );
  changed(tx, refunds);
}

/**
 * Gives a payment of which disputes and refunds have left nothing its outcome, ends its pass, and tells the buyer. The caller has
 * locked the purchase.
 *
 * @returns both as they are now
 */
export async function chargeBack(
  ctx: Context,
  tx: Transaction,
  {
    purchase,
    attempt,
    event,
  }: KnownPayment & { event: Extract<PaymentEvent, "charge-back" | "drop-refund"> },
): Promise<KnownPayment> {
  const state = paymentStateOf(attempt);
  const transition = paymentTransition(state, event);
  if (transition.kind !== "transition") return { purchase, attempt };
  const ended =
    state === "pass" ? await applyPurchaseEvent(ctx, tx, purchase, { type: "charged-back" }) : { purchase };
  const outcome = storedOutcomeOf(transition.to);
  await tx
    .update(paymentAttempts)
    .set({ outcome, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, attempt.id));
  changed(tx, paymentAttempts);
  const { gatewayPaymentId: paymentId, lostPaise: amountPaise } = attempt;
  await recordAudit(ctx, tx, {
    action: "payment.charged-back",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { paymentId, amountPaise },
  });
  ctx.log.warn({ purchaseId: purchase.id, paymentId, amountPaise }, "a payment was charged back");
  const { toolName, testMode, userEmail } = purchase;
  // A deleted account has no address.
  if (userEmail.includes("@"))
    await queueMail(ctx, tx, {
      to: userEmail,
      kind: "payment-charged-back",
      facts: { toolName, amountPaise, testMode },
    });
  return { purchase: ended.purchase, attempt: { ...attempt, outcome } };
}

/** Nothing is left for an admin to decide about an unknown payment that is lost in full, unless its refund has begun. */
async function recordUnknownLoss(
  ctx: Context,
  tx: Transaction,
  payment: UnknownPayment,
  lostPaise: number,
): Promise<void> {
  if (payment.state !== "waiting" || !isLostInFull({ ...payment, lostPaise })) return;
  await tx
    .update(unknownPayments)
    .set({ state: "charged-back", updatedAt: ctx.clock.now() })
    .where(eq(unknownPayments.id, payment.id));
  changed(tx, unknownPayments);
}

/**
 * A refund that was held is sent, or dropped, at once. It counts as overdue by its age, so its age starts now. A refund that was
 * sent within the last minute keeps its time: the request may be under way.
 */
async function makeRefundsDue(
  ctx: Context,
  tx: Transaction,
  { attemptId, gatewayPaymentId }: { attemptId: string | null; gatewayPaymentId: string },
): Promise<void> {
  const now = ctx.clock.now();
  const before = new Date(now.getTime() - MINUTE);
  if (attemptId !== null)
    await tx
      .update(refunds)
      .set({ tries: 0, createdAt: now, updatedAt: now })
      .where(
        and(
          eq(refunds.attemptId, attemptId),
          eq(refunds.status, "requested"),
          lte(refunds.updatedAt, before),
        ),
      );
  await tx
    .update(unknownPayments)
    .set({ tries: 0, updatedAt: now })
    .where(
      and(
        eq(unknownPayments.gatewayPaymentId, gatewayPaymentId),
        eq(unknownPayments.state, "refunding"),
        lte(unknownPayments.updatedAt, before),
      ),
    );
  changed(tx, refunds, unknownPayments);
}

/**
 * Ends a refund that was held until its payment was lost in full: the outcome of the payment becomes chargeback. The caller has
 * asked the gateway: nothing was refunded for it.
 *
 * @param refund as it was before the gateway was asked. When it was sent since then, nothing happens
 * @returns whether it ended
 */
export async function dropRefund(
  ctx: AuthorisedContext,
  refund: { id: string; tries: number; gatewayPaymentId: string },
): Promise<boolean> {
  return inTransaction(ctx.db, async (tx) => {
    const known = await lockPayment(tx, refund.gatewayPaymentId);
    if (!known || !isLostInFull(known.attempt)) return false;
    const dropped = await tx
      .update(refunds)
      .set({ status: "charged-back", lastError: null, updatedAt: ctx.clock.now() })
      .where(
        and(
          eq(refunds.id, refund.id),
          eq(refunds.tries, refund.tries),
          inArray(refunds.status, statesChangedBy(REFUND_TABLE, "charged-back")),
        ),
      )
      .returning({ id: refunds.id });
    changed(tx, refunds);
    if (dropped.length === 0) return false;
    await chargeBack(ctx, tx, { ...known, event: "drop-refund" });
    return true;
  });
}

/**
 * Fetches a dispute that a webhook event names, and records it.
 *
 * @throws GatewayError
 */
export async function fetchAndRecordDispute(ctx: AuthorisedContext, gatewayDisputeId: string): Promise<void> {
  const { gateway } = ctx.ports;
  if (gateway) await recordDispute(ctx, gateway, await gateway.fetchDispute({ gatewayDisputeId }));
}
