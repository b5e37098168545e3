import { and, eq, exists, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { users } from "#db/tables/accounts.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { isRunningPassPrepared, runningPassValues } from "../pass-validity.server.ts";
import type { UnappliedEvent } from "../passes/apply-purchase-event.server.ts";
import type { PaidAmount } from "./paid-amount.ts";
import type { GatewayPayment } from "./payment-gateway.ts";

export interface CaptureInput {
  /** Locked by the caller. */
  purchase: Purchase;
  payment: GatewayPayment;
  paid: PaidAmount;
  /** Another pass of the buyer for this tool exists, although this transaction cannot read it yet. */
  overlaps: boolean;
}

/**
 * The event of a captured payment for its purchase, with the facts that decide between a pass and a refund. Whether stock and
 * coupon use are still available, and whether a renewal waits already, is found by `applyPurchaseEvent`. The rule is
 * `captured` in core/passes/purchase-states.ts.
 */
export async function readCaptureEvent(
  ctx: Context,
  tx: Transaction,
  { purchase, payment, paid, overlaps }: CaptureInput,
): Promise<UnappliedEvent> {
  const { id: purchaseId, userId, toolId } = purchase;
  const [buyer] = await selectBuyer(tx, { purchaseId, userId, toolId, ...runningPassValues(ctx) });
  return {
    type: "captured",
    alreadyRefunded: payment.status === "refunded",
    amountMatches: paid.pays !== "another-amount",
    accountUsable: buyer?.isActive === true && buyer.deletedAt === null,
    hasActivePass: overlaps || (buyer?.hasPass === true && !purchase.isRenewal),
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
        isRunningPassPrepared,
      ),
    );
  return tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      hasPass: exists(otherPass).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, valueFor(users.id, "userId")));
});
