import { and, eq, exists, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { users } from "#db/tables/accounts.ts";
import { type PaymentAttempt, type PaymentOrder, paymentAttempts } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed, inSavepoint, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { activePassValues, isActivePassPrepared } from "../pass-validity.server.ts";
import { applyPurchaseEvent, findUnavailable } from "../passes/apply-purchase-event.server.ts";
import type { PurchaseEvent } from "../passes/purchase-states.ts";
import { type RefundReason, refundMessage } from "../refund-reasons.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { paymentStateOf, paymentTransition } from "./payment-states.ts";

type AuthorisedPayment = Omit<CaptureInput, "overlaps"> & { attempt: PaymentAttempt };

/**
 * Decides whether an authorised payment is captured: only when its purchase would become a pass now. A payment that
 * would be refunded at once is left uncaptured, because the gateway returns it by itself and takes no fee for it. The
 * buyer gets a mail about it, so the decision is final.
 *
 * @returns true when the payment is to be captured, after the running transaction
 */
export async function decideCapture(
  ctx: Context,
  tx: Transaction,
  authorised: AuthorisedPayment,
): Promise<boolean> {
  const { purchase, payment, attempt } = authorised;
  if (paymentStateOf(attempt) !== "authorized" || payment.status !== "authorized") return false;
  const reason = await findRefundReason(ctx, tx, authorised);
  if (reason === null) return true;
  const transition = paymentTransition("authorized", "leave-uncaptured");
  if (transition.kind !== "transition") throw new Error("an authorised payment cannot be left uncaptured");
  await tx
    .update(paymentAttempts)
    .set({ uncapturedReason: reason, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, attempt.id));
  changed(tx, paymentAttempts);
  // The address of a deleted account is removed.
  if (purchase.userEmail.includes("@")) {
    await queueMail(ctx, tx, {
      to: purchase.userEmail,
      kind: "payment-not-taken",
      facts: {
        toolName: purchase.toolName,
        amountPaise: attempt.amountPaise,
        reason: refundMessage(reason),
      },
    });
  }
  await recordAudit(ctx, tx, {
    action: "payment.left-uncaptured",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, paymentId: payment.paymentId, amountPaise: attempt.amountPaise },
  });
  ctx.log.warn({ purchaseId: purchase.id, paymentId: payment.paymentId, reason }, "payment left uncaptured");
  return false;
}

/** Thrown to roll back the savepoint of a trial. It carries the result of the trial. */
class TrialEnded extends Error {
  readonly refund: RefundReason | null;

  constructor(refund: RefundReason | null) {
    super("the trial has ended");
    this.refund = refund;
  }
}

/**
 * Makes a trial: applies the capture to the purchase in a savepoint, with the same locks and conditions as a real
 * capture, and rolls it back.
 *
 * @returns why the payment would be refunded; null when it would become a pass
 */
async function findRefundReason(
  ctx: Context,
  tx: Transaction,
  { order, purchase, payment }: AuthorisedPayment,
): Promise<RefundReason | null> {
  try {
    return await inSavepoint(tx, async (trial) => {
      const event = await readCaptureEvent(ctx, trial, { order, purchase, payment, overlaps: false });
      throw new TrialEnded((await applyPurchaseEvent(ctx, trial, purchase, event)).refund);
    });
  } catch (error) {
    if (error instanceof TrialEnded) return error.refund;
    if (isExclusionViolation(error)) return "already-owned";
    throw error;
  }
}

interface CaptureInput {
  order: PaymentOrder;
  /** Locked by the caller. */
  purchase: Purchase;
  payment: GatewayPayment;
  /** Another pass of the buyer for this tool exists, although this transaction cannot read it yet. */
  overlaps: boolean;
}

/** The event of a captured payment for its purchase, with the facts that decide between a pass and a refund. */
export async function readCaptureEvent(
  ctx: Context,
  tx: Transaction,
  { order, purchase, payment, overlaps }: CaptureInput,
): Promise<PurchaseEvent> {
  const { id: purchaseId, userId, toolId } = purchase;
  const [buyer] = await selectBuyer(tx, { purchaseId, userId, toolId, ...activePassValues(ctx) });
  return {
    type: "captured",
    alreadyRefunded: payment.status === "refunded",
    amountMatches: payment.amountPaise === order.amountPaise && payment.currency === order.currency,
    accountUsable: buyer?.isActive === true && buyer.deletedAt === null,
    hasActivePass: overlaps || buyer?.hasActivePass === true,
    unavailable: await findUnavailable(ctx, tx, purchase),
  };
}

const selectBuyer = prepareStatement("find-buyer-of-payment", (tx) => {
  // A purchase without a tool has no other pass: no row equals null.
  const otherPass = tx
    .select({ one: sql`1` })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, users.id),
        eq(userPurchases.toolId, valueFor(userPurchases.toolId, "toolId")),
        ne(userPurchases.id, valueFor(userPurchases.id, "purchaseId")),
        isActivePassPrepared,
      ),
    );
  return tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      hasActivePass: exists(otherPass).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, valueFor(users.id, "userId")));
});
