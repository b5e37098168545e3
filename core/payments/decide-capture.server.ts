import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts } from "#db/tables/payments.ts";
import { changed, inSavepoint, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { applyPurchaseEvent } from "../passes/apply-purchase-event.server.ts";
import { type RefundReason, refundMessage } from "../refund-reasons.ts";
import { type CaptureInput, readCaptureEvent } from "./capture-event.server.ts";
import { paymentStateOf, paymentTransition } from "./payment-states.ts";

type AuthorisedPayment = Omit<CaptureInput, "overlaps"> & { attempt: PaymentAttempt };

/**
 * Decides whether an authorised payment is captured: only when its purchase would become a pass now. A payment that
 * would be refunded at once is left uncaptured, because the gateway returns it by itself and takes no fee for it. The
 * buyer gets a mail about it, so the decision is final. A restored shop decides nothing before an admin has confirmed it:
 * the shop that it is a copy of may capture the payment.
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
  if (await isUnconfirmedRestore(tx)) return false;
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
        testMode: purchase.testMode,
      },
    });
  }
  await recordAudit(ctx, tx, {
    action: "payment.left-uncaptured",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, paymentId: payment.gatewayPaymentId, amountPaise: attempt.amountPaise },
  });
  ctx.log.warn(
    { purchaseId: purchase.id, paymentId: payment.gatewayPaymentId, reason },
    "payment left uncaptured",
  );
  return false;
}

/** Thrown to roll back the savepoint of a trial. It carries the result of the trial. */
class TrialRollback extends Error {
  readonly refund: RefundReason | null;

  constructor(refund: RefundReason | null) {
    super("the trial is rolled back");
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
      throw new TrialRollback((await applyPurchaseEvent(ctx, trial, purchase, event)).refund);
    });
  } catch (error) {
    if (error instanceof TrialRollback) return error.refund;
    if (isExclusionViolation(error)) return "already-owned";
    throw error;
  }
}
