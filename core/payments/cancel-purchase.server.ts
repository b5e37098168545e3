import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { paymentAttempts } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { CORE_MESSAGES, DomainError } from "../errors.ts";
import { rowId } from "../form-fields.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { applyPurchaseEvent, lockPurchase } from "../passes/apply-purchase-event.server.ts";
import { type PurchaseState, purchaseStateOf } from "../passes/purchase-states.ts";
import { MANUAL_GATEWAY } from "./credits.server.ts";
import { selectDisputes } from "./disputes.server.ts";
import {
  asksForRefund,
  holdsRefund,
  paymentStateOf,
  paymentTransition,
  storedOutcomeOf,
} from "./payment-states.ts";
import {
  hasRefundedPayment,
  isRemainderTooSmall,
  listUnrefundedPayments,
  refundableOf,
  requestRefund,
} from "./refunds.server.ts";
import { cancelPurchaseSchema } from "./schemas.ts";

export interface CancelledPurchase {
  /** To be refunded, in paise. */
  refundedPaise: number;
  /** It is a promised payout: the owner gives it back. */
  byHand: boolean;
  /** What the purchase was before a call that changed nothing; null: the call changed something. */
  alreadyEnded: "refunded" | "ended" | null;
}

/**
 * The admin ends a purchase for good: access stops at once and its reservation is released. With `refund`, its payments are
 * refunded through the gateway, and those that were recorded by hand become promised payouts; otherwise the shop retains them
 * and a reason is needed. The reason is in the audit log. Later payments are refunded. The payments of a purchase that has
 * already ended can still be refunded. A call that changes nothing is not audited.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, purchase-not-found, payment-disputed (with a refund, while a
 *   dispute is open), invalid-input
 */
export async function cancelPurchase(
  ctx: Context,
  input: z.input<typeof cancelPurchaseSchema> | UntrustedInput,
): Promise<CancelledPurchase> {
  requireAdmin(ctx, "moves-money");
  const parsed = parseInput(cancelPurchaseSchema, input);
  const cancelled = await inTransaction(ctx.db, (tx) => endAndSettle(ctx, tx, parsed));
  if (cancelled.refundedPaise > 0) {
    ctx.ports.jobs.triggerSoon("process-refunds");
    ctx.ports.jobs.triggerSoon("send-mail");
  }
  return cancelled;
}

/** `cancelPurchase` in the transaction of the caller, which triggers the jobs of a refund. */
export async function endAndSettle(
  ctx: AuthorisedContext,
  tx: Transaction,
  { purchaseId, reason, refund }: z.output<typeof cancelPurchaseSchema>,
): Promise<CancelledPurchase> {
  const purchase = await lockPurchase(tx, purchaseId);
  if (!purchase) throw new DomainError("purchase-not-found");
  // The bank may pay the buyer back too.
  const disputes = refund ? await selectDisputes(tx, await listUnrefundedPayments(tx, purchaseId)) : [];
  if (disputes.some(holdsRefund)) throw new DomainError("payment-disputed");
  const applied = await applyPurchaseEvent(ctx, tx, purchase, { type: "cancelled" });
  const payments = await refundOrRetainPayments(ctx, tx, applied.purchase, refund);
  if (applied.kind !== "transition" && payments.changed === 0) {
    const isRefunded = await hasRefundedPayment(tx, purchaseId);
    return { refundedPaise: 0, byHand: false, alreadyEnded: isRefunded ? "refunded" : "ended" };
  }
  const [before, after] = [purchase, applied.purchase].map(({ status, endedReason }) => ({
    status,
    endedReason,
  }));
  await recordAudit(ctx, tx, {
    action: "purchase.cancelled",
    subjectType: "purchase",
    subjectId: purchaseId,
    details: { reason, refund, paidBackPaise: payments.refundedPaise, before, after },
  });
  return { refundedPaise: payments.refundedPaise, byHand: payments.byHand, alreadyEnded: null };
}

/** @returns how many payments changed their outcome, and the amount to be refunded, in paise */
async function refundOrRetainPayments(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  refund: boolean,
): Promise<{ changed: number; refundedPaise: number; byHand: boolean }> {
  let count = 0;
  let byHand = false;
  let refundedPaise = 0;
  for (const attempt of await listUnrefundedPayments(tx, purchase.id)) {
    const transition = paymentTransition(paymentStateOf(attempt), refund ? "refund" : "retain");
    if (transition.kind !== "transition") continue;
    count++;
    if (transition.to === "refund") {
      const isManual = attempt.gateway === MANUAL_GATEWAY;
      const reason = isManual ? "cancelled-and-given-back" : "cancelled-by-shop";
      byHand ||= isManual;
      refundedPaise += await requestRefund(ctx, tx, { purchase, attempt, reason, alreadyRefunded: false });
    } else {
      await tx
        .update(paymentAttempts)
        .set({ outcome: storedOutcomeOf(transition.to) })
        .where(eq(paymentAttempts.id, attempt.id));
      changed(tx, paymentAttempts);
    }
  }
  return { changed: count, refundedPaise, byHand };
}

const describeCancellationInput = z.object({ purchaseId: rowId(CORE_MESSAGES["purchase-not-found"]) });

/** What the cancellation of a purchase would do, for the confirmation. */
export interface Cancellation {
  purchaseId: string;
  userEmail: string;
  toolName: string;
  /** Its state now. */
  state: PurchaseState;
  /** What a cancellation with a refund would pay back; 0: nothing can be refunded. */
  refundablePaise: number;
  /** open: a dispute prevents a refund. must-refund: the bank reports fraud, and leaves the refund to the owner. */
  dispute: "open" | "must-refund" | null;
  /** Who has the money: the shop itself, or a gateway, which sends it back. */
  paidByHand: boolean;
  testMode: boolean;
  source: Purchase["source"];
}

/**
 * What `cancelPurchase` would do now.
 *
 * @throws DomainError unauthenticated, forbidden, purchase-not-found, invalid-input
 */
export async function describeCancellation(
  ctx: Context,
  input: z.input<typeof describeCancellationInput> | UntrustedInput,
): Promise<Cancellation> {
  requireAdmin(ctx, "reads");
  const { purchaseId } = parseInput(describeCancellationInput, input);
  const [purchase] = await ctx.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  if (!purchase) throw new DomainError("purchase-not-found");
  const { userEmail, toolName, testMode, source } = purchase;
  const state = purchaseStateOf(purchase, ctx.clock.now());
  const payments = await listUnrefundedPayments(ctx.db, purchaseId);
  const refundablePaise = payments
    .filter((payment) => !isRemainderTooSmall(payment))
    .reduce((sum, payment) => sum + refundableOf(payment), 0);
  const paidByHand = payments.some(({ gateway }) => gateway === MANUAL_GATEWAY);
  const disputes = await selectDisputes(ctx.db, payments);
  const mustRefund = disputes.some(asksForRefund);
  const dispute = disputes.some(holdsRefund) ? "open" : mustRefund ? "must-refund" : null;
  return { purchaseId, userEmail, toolName, state, refundablePaise, dispute, paidByHand, testMode, source };
}
