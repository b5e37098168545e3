import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts, refunds } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import type { Context } from "../../context.ts";
import { queueMail } from "../../mail/queue-mail.server.ts";
import { type RefundReason, refundMessage } from "../../refund-reasons.ts";
import { isRemainderTooSmall } from "./unrefunded-payments.server.ts";

/**
 * Gives a captured payment the outcome `refund`, in the running transaction, and queues a mail to the buyer. A job
 * sends the refund. Earlier partial refunds reduce the amount. A remainder below the gateway's minimum is not refunded.
 *
 * @param input.alreadyRefunded the gateway reports that all of it was refunded: only recorded, not sent
 * @returns the amount that is still to be refunded, in paise
 */
export async function requestRefund(
  ctx: Context,
  tx: Transaction,
  input: { purchase: Purchase; attempt: PaymentAttempt; reason: RefundReason; alreadyRefunded: boolean },
): Promise<number> {
  const { purchase, attempt, reason } = input;
  const isTooSmall = !input.alreadyRefunded && isRemainderTooSmall(attempt);
  const isDone = input.alreadyRefunded || isTooSmall;
  const amountPaise = isTooSmall ? 0 : attempt.amountPaise - attempt.refundedPaise;
  const now = ctx.clock.now();
  await tx.update(paymentAttempts).set({ outcome: "refund" }).where(eq(paymentAttempts.id, attempt.id));
  await tx.insert(refunds).values({
    attemptId: attempt.id,
    amountPaise: isTooSmall ? attempt.refundedPaise : attempt.amountPaise,
    reason,
    idempotencyKey: `refund-${attempt.id}`,
    status: isDone ? "processed" : "requested",
    createdAt: now,
    updatedAt: now,
  });
  changed(tx, paymentAttempts, refunds);
  // A deleted account has no address. No mail is sent about a remainder that is not refunded.
  if (purchase.userEmail.includes("@") && !isTooSmall) {
    await queueMail(ctx, tx, {
      to: purchase.userEmail,
      kind: "payment-refunded",
      facts: { toolName: purchase.toolName, amountPaise, reason: refundMessage(reason) },
    });
  }
  await recordAudit(ctx, tx, {
    action: "refund.requested",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, amountPaise },
  });
  ctx.log.warn({ purchaseId: purchase.id, reason, amountPaise }, "refund requested");
  return amountPaise;
}
