import { and, asc, eq, isNull } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { lockTools } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { lockCouponsOf } from "../coupons/take-redemption.server.ts";
import { applyPurchaseEvent } from "./apply-purchase-event.server.ts";

/** What stands for the address of a deleted account; nobody can be written to there. */
const NO_ADDRESS = "deleted user";

/**
 * Ends everything that a user has bought or is about to, because the account goes. The rows stay, under no name: money
 * hangs on them, and money that arrives later goes back. Trusts its caller, who has locked the account.
 */
export async function revokePurchases(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  const purchases = await tx
    .select()
    .from(userPurchases)
    .where(and(eq(userPurchases.userId, userId), isNull(userPurchases.endedAt)))
    .orderBy(asc(userPurchases.id))
    .for("update");
  await lockCouponsAndTools(tx, purchases);
  for (const purchase of purchases) await applyPurchaseEvent(ctx, tx, purchase, { type: "account-closed" });
  await tx.update(userPurchases).set({ userEmail: NO_ADDRESS }).where(eq(userPurchases.userId, userId));
}

/** All that the purchases give back to, in the order of everybody: coupons before tools, each by their ids. */
async function lockCouponsAndTools(tx: Transaction, purchases: readonly Purchase[]): Promise<void> {
  await lockCouponsOf(
    tx,
    purchases.filter(({ couponCode }) => couponCode !== null).map(({ id }) => id),
  );
  await lockTools(
    tx,
    purchases.flatMap(({ toolId }) => toolId ?? []),
  );
}
