import { and, eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import type { RefundReason } from "./capture-decision.ts";
import { type PaymentAttempt, type Purchase, releasePending } from "./queries.server.ts";

const WORDS: Record<RefundReason, string> = {
  "refunded-at-gateway": "The shop has paid it back.",
  "amount-mismatch": "The amount paid was not the price.",
  "duplicate-payment": "This was already paid.",
  "purchase-ended": "This purchase had ended.",
  "purchase-replaced": "Another checkout had taken its place.",
  "account-closed": "The account is closed.",
  "already-owned": "You already have access to this tool.",
  "out-of-stock": "The tool was sold out when the payment arrived.",
};

/** Why money went back, for the buyer; null for a reason that is none of ours. */
export function refundReasonInWords(reason: string): string | null {
  return new Map<string, string>(Object.entries(WORDS)).get(reason) ?? null;
}

/**
 * Decides, in the running transaction, that a captured payment goes back; a job carries it out. A purchase that has no
 * pass ends as failed and gives back what it held; one that has its pass keeps it.
 */
export async function requestRefund(
  ctx: Context,
  tx: Transaction,
  input: { purchase: Purchase; attempt: PaymentAttempt; reason: RefundReason },
): Promise<void> {
  const { purchase, attempt, reason } = input;
  await releasePending(tx, { purchaseId: purchase.id, reason: "refunded", errorMessage: WORDS[reason] });
  await tx
    .update(userPurchases)
    .set({ errorMessage: WORDS[reason] })
    .where(and(eq(userPurchases.id, purchase.id), eq(userPurchases.status, "failed")));
  await tx.update(paymentAttempts).set({ outcome: "refund" }).where(eq(paymentAttempts.id, attempt.id));
  await tx.update(paymentOrders).set({ state: "settled" }).where(eq(paymentOrders.id, attempt.orderId));
  await tx.insert(refunds).values({
    attemptId: attempt.id,
    amount: attempt.amount,
    reason,
    idempotencyKey: `refund-${attempt.id}`,
    status: reason === "refunded-at-gateway" ? "processed" : "requested",
    createdAt: ctx.clock.now(),
    updatedAt: ctx.clock.now(),
  });
  await queueMail(ctx, tx, {
    to: purchase.userEmail,
    kind: "payment-refunded",
    facts: { toolName: purchase.toolName, amountPaise: attempt.amount, reason: WORDS[reason] },
  });
  await recordAudit(ctx, tx, {
    action: "refund.requested",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, amountPaise: attempt.amount },
  });
  await ctx.ports.jobs.enqueue(tx, "carry-out-refunds");
  ctx.log.warn({ purchaseId: purchase.id, reason, amount: attempt.amount }, "payment goes back");
}
