import { and, eq, exists, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import type { PaymentOrder } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { isActivePass } from "../entitlements/pass-validity.server.ts";
import type { PurchaseEvent } from "../purchases/purchase-machine.ts";
import type { GatewayPayment } from "./payment-gateway.ts";

/**
 * The event that a captured payment is for its purchase, with the facts of this moment. The caller has locked the purchase.
 *
 * @param input.overlaps another pass of the buyer for this tool is known to exist, though it cannot be read yet
 */
export async function readCaptureEvent(
  ctx: Context,
  tx: Transaction,
  input: { order: PaymentOrder; purchase: Purchase; payment: GatewayPayment; overlaps: boolean },
): Promise<PurchaseEvent> {
  const { order, purchase, payment, overlaps } = input;
  const otherPass = tx
    .select({ one: sql`1` })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, purchase.userId),
        purchase.toolId ? eq(userPurchases.toolId, purchase.toolId) : sql`false`,
        ne(userPurchases.id, purchase.id),
        isActivePass(ctx),
      ),
    );
  const [buyer] = await tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      ownsTool: exists(otherPass).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, purchase.userId));
  return {
    type: "captured",
    alreadyRefunded: payment.status === "refunded",
    amountMatches: payment.amountPaise === order.amountPaise && payment.currency === order.currency,
    accountUsable: buyer?.isActive === true && buyer.deletedAt === null,
    ownsTool: overlaps || buyer?.ownsTool === true,
  };
}
