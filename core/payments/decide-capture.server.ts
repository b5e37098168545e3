import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, type PaymentOrder, paymentAttempts } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inSavepoint, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { applyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";
import type { RefundReason } from "../purchases/purchase-machine.ts";
import { refundWords } from "../purchases/refund-messages.ts";
import { readCaptureEvent } from "./capture-event.server.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { paymentStateOf, paymentTransition } from "./payment-machine.ts";

interface Authorised {
  order: PaymentOrder;
  /** Locked by the caller. */
  purchase: Purchase;
  payment: GatewayPayment;
  attempt: PaymentAttempt;
}

/**
 * Decides whether an authorised payment is captured: only when its purchase would become a pass now. A payment that would
 * be refunded at once is left uncaptured, because the gateway returns it by itself and takes no fee for it. The buyer is
 * told so by mail, which makes that decision final.
 *
 * @returns true when the payment is to be captured, after the running transaction
 */
export async function decideCapture(ctx: Context, tx: Transaction, authorised: Authorised): Promise<boolean> {
  const { purchase, payment, attempt } = authorised;
  if (paymentStateOf(attempt) !== "authorized" || payment.status !== "authorized") return false;
  const reason = await findObstacle(ctx, tx, authorised);
  if (reason === null) return true;
  const move = paymentTransition("authorized", "left-uncaptured");
  if (move.kind !== "transition") throw new Error("an authorised payment cannot be left uncaptured");
  await tx
    .update(paymentAttempts)
    .set({ uncapturedReason: reason, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, attempt.id));
  // The address of a deleted account is removed.
  if (purchase.userEmail.includes("@")) {
    await queueMail(ctx, tx, {
      to: purchase.userEmail,
      kind: "payment-not-taken",
      facts: { toolName: purchase.toolName, amountPaise: attempt.amountPaise, reason: refundWords(reason) },
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

/** Ends the savepoint of a trial: nothing that was written in it stays. */
class TrialOver extends Error {
  readonly refund: RefundReason | null;

  constructor(refund: RefundReason | null) {
    super("the trial is over");
    this.refund = refund;
  }
}

/**
 * Carries the capture out on the purchase, with the locks and conditions that will apply to the real one, and undoes it.
 *
 * @returns why the payment would have to be refunded; null when it would become a pass
 */
async function findObstacle(
  ctx: Context,
  tx: Transaction,
  { order, purchase, payment }: Authorised,
): Promise<RefundReason | null> {
  try {
    return await inSavepoint(tx, async (trial) => {
      const event = await readCaptureEvent(ctx, trial, { order, purchase, payment, overlaps: false });
      throw new TrialOver((await applyPurchaseEvent(ctx, trial, purchase, event)).refund);
    });
  } catch (error) {
    if (error instanceof TrialOver) return error.refund;
    if (isExclusionViolation(error)) return "already-owned";
    throw error;
  }
}
