import { and, eq, inArray } from "drizzle-orm";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { cancelPurchaseInput } from "../checkout/schemas.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { lockAndApplyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";
import { paymentStateOf, paymentTransition } from "./payment-machine.ts";
import { requestRefund } from "./request-refund.server.ts";

/**
 * The admin ends a purchase for good, with a reason: access stops at once, what it held or used is free again. What was
 * paid for it goes back when `refund` says so, else the shop keeps it and the audit log says why. Money that arrives
 * later goes back. One that has ended already may still be paid back.
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
    const moved = await lockAndApplyPurchaseEvent(ctx, tx, purchaseId, { type: "cancelled" });
    if (!moved) throw new DomainError("purchase-not-found");
    const sum = await accountFor(ctx, tx, moved.purchase, refund);
    await recordAudit(ctx, tx, {
      action: "purchase.cancelled",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { reason, paidBackPaise: sum },
    });
    return sum;
  });
  if (refundedPaise > 0) {
    ctx.ports.jobs.triggerSoon("carry-out-refunds");
    ctx.ports.jobs.triggerSoon("send-mail");
  }
  return { refundedPaise };
}

/** @returns how much goes back, in paise */
async function accountFor(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  refund: boolean,
): Promise<number> {
  let refundedPaise = 0;
  for (const attempt of await listMoneyOf(tx, purchase.id)) {
    const move = paymentTransition(paymentStateOf(attempt), refund ? "refund" : "retain");
    if (move.kind !== "transition") continue;
    if (move.to === "refund") {
      const reason = "cancelled-by-shop";
      refundedPaise += await requestRefund(ctx, tx, { purchase, attempt, reason, alreadyRefunded: false });
    } else {
      await tx
        .update(paymentAttempts)
        .set({ outcome: "cancellation" })
        .where(eq(paymentAttempts.id, attempt.id));
    }
  }
  return refundedPaise;
}

/** The payments that the purchase lives, or lived, on. */
async function listMoneyOf(tx: Transaction, purchaseId: string): Promise<PaymentAttempt[]> {
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
