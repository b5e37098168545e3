import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts, refunds } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import type { RefundReason } from "../purchases/purchase-machine.ts";
import { refundWords } from "../purchases/refund-messages.ts";
import { MINIMUM_REFUND_PAISE } from "./payment-gateway.ts";

/**
 * Decides, in the running transaction, that a captured payment goes back, and writes to the buyer; a job carries it out.
 * Of one that went back in part before, the mail tells the rest; a rest below what a provider pays back stays.
 * Money that the gateway says is back already is only noted.
 *
 * @param input.alreadyRefunded the gateway says that all of it went back
 * @returns how much goes back, in paise
 */
export async function requestRefund(
  ctx: Context,
  tx: Transaction,
  input: { purchase: Purchase; attempt: PaymentAttempt; reason: RefundReason; alreadyRefunded: boolean },
): Promise<number> {
  const { purchase, attempt, reason } = input;
  const amountPaise = attempt.amountPaise - attempt.refundedPaise;
  const staysWithUs =
    !input.alreadyRefunded && attempt.refundedPaise > 0 && amountPaise < MINIMUM_REFUND_PAISE;
  const isDone = input.alreadyRefunded || staysWithUs;
  const goesBack = staysWithUs ? 0 : amountPaise;
  const now = ctx.clock.now();
  await tx.update(paymentAttempts).set({ outcome: "refund" }).where(eq(paymentAttempts.id, attempt.id));
  await tx.insert(refunds).values({
    attemptId: attempt.id,
    amountPaise: staysWithUs ? attempt.refundedPaise : attempt.amountPaise,
    reason,
    idempotencyKey: `refund-${attempt.id}`,
    status: isDone ? "processed" : "requested",
    createdAt: now,
    updatedAt: now,
  });
  // A deleted account has no address any more, and of a rest that no provider pays back there is nothing to say.
  if (purchase.userEmail.includes("@") && !staysWithUs) {
    await queueMail(ctx, tx, {
      to: purchase.userEmail,
      kind: "payment-refunded",
      facts: { toolName: purchase.toolName, amountPaise: goesBack, reason: refundWords(reason) },
    });
  }
  await recordAudit(ctx, tx, {
    action: "refund.requested",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, amountPaise: goesBack },
  });
  if (!isDone) await ctx.ports.jobs.enqueue(tx, "carry-out-refunds");
  ctx.log.warn({ purchaseId: purchase.id, reason, amountPaise: goesBack }, "payment goes back");
  return goesBack;
}
