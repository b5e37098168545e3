import { and, eq, inArray } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { CORE_MESSAGES, DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { lockAndApplyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";
import { paymentStateOf, paymentTransition, storedOutcomeOf } from "./machines/payment-machine.ts";
import { requestRefund } from "./refunds/request-refund.server.ts";

const cancelPurchaseInput = z.object({
  purchaseId: z.uuid(CORE_MESSAGES["purchase-not-found"]),
  /** For the audit log. */
  reason: z.string().trim().min(3, "Please say why.").max(500, "Please say it in 500 characters."),
  /** Whether the payments are refunded. Otherwise the shop retains them. */
  refund: z.boolean(),
});

/**
 * The admin ends a purchase for good, with a reason: access stops at once and its reservation is released. With
 * `refund`, its payments are refunded; otherwise the shop retains them. The reason is in the audit log. Later payments
 * are refunded. The payments of a purchase that has already ended can still be refunded.
 *
 * @throws DomainError unauthenticated, forbidden, purchase-not-found, invalid-input
 */
export async function cancelPurchase(
  ctx: Context,
  input: z.input<typeof cancelPurchaseInput>,
): Promise<{ refundedPaise: number }> {
  requireAdmin(ctx);
  const { purchaseId, reason, refund } = parseInput(cancelPurchaseInput, input);
  const refundedPaise = await inTransaction(ctx.db, async (tx) => {
    const applied = await lockAndApplyPurchaseEvent(ctx, tx, purchaseId, { type: "cancelled" });
    if (!applied) throw new DomainError("purchase-not-found");
    const paise = await refundOrRetainPayments(ctx, tx, applied.purchase, refund);
    await recordAudit(ctx, tx, {
      action: "purchase.cancelled",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { reason, paidBackPaise: paise },
    });
    return paise;
  });
  if (refundedPaise > 0) {
    ctx.ports.jobs.triggerSoon("process-refunds");
    ctx.ports.jobs.triggerSoon("send-mail");
  }
  return { refundedPaise };
}

/** @returns the amount to be refunded, in paise */
async function refundOrRetainPayments(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  refund: boolean,
): Promise<number> {
  let refundedPaise = 0;
  for (const attempt of await listUnrefundedPayments(tx, purchase.id)) {
    const transition = paymentTransition(paymentStateOf(attempt), refund ? "refund" : "retain");
    if (transition.kind !== "transition") continue;
    if (transition.to === "refund") {
      const reason = "cancelled-by-shop";
      refundedPaise += await requestRefund(ctx, tx, { purchase, attempt, reason, alreadyRefunded: false });
    } else {
      await tx
        .update(paymentAttempts)
        .set({ outcome: storedOutcomeOf(transition.to) })
        .where(eq(paymentAttempts.id, attempt.id));
    }
  }
  return refundedPaise;
}

/** The captured payments of a purchase that are not refunded: their outcome is `pass` or `retained`. */
async function listUnrefundedPayments(tx: Transaction, purchaseId: string): Promise<PaymentAttempt[]> {
  const rows = await tx
    .select({ attempt: paymentAttempts })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(
      and(
        eq(paymentOrders.purchaseId, purchaseId),
        inArray(paymentAttempts.outcome, ["pass", "cancellation"]),
      ),
    );
  return rows.map(({ attempt }) => attempt);
}
