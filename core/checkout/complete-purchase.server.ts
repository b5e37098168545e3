import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inSavepoint, isExclusionViolation } from "#db/transaction.ts";
import { giveBackStock, takeStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { changeRedemption, retakeRedemption, spendRedemption } from "../coupons/change-redemption.server.ts";
import { findActivePass } from "../entitlements/find-active-pass.server.ts";
import { addDays } from "../time.ts";
import type { CaptureFacts, RefundReason } from "./capture-decision.ts";
import type { Purchase } from "./queries.server.ts";

/** What the capture table needs to know of a purchase (locked by the caller) besides the payment itself. */
export async function readCaptureFacts(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
): Promise<Omit<CaptureFacts, "amountMatches" | "alreadyBack">> {
  const [user] = await tx
    .select({ isActive: users.isActive, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, purchase.userId));
  const pass = purchase.toolId
    ? await findActivePass(ctx, tx, { userId: purchase.userId, toolId: purchase.toolId })
    : null;
  return {
    status: purchase.status,
    ended: purchase.endedAt !== null,
    failedReason: purchase.failedReason,
    userUsable: user?.isActive === true && user.deletedAt === null,
    ownsTool: pass !== null && pass.purchaseId !== purchase.id,
  };
}

/**
 * Turns a purchase (locked by the caller) into a running pass from now on. With `retake`, its hold is gone and stock and
 * coupon use are taken again first.
 *
 * @returns null when the pass exists, else why the money has to go back
 */
export async function completePurchase(
  ctx: Context,
  tx: Transaction,
  input: { purchase: Purchase; retake: boolean },
): Promise<RefundReason | null> {
  const { purchase } = input;
  const now = ctx.clock.now();
  if (input.retake) {
    if (!(await retakeRedemption(tx, purchase.id))) return "purchase-ended";
    if (!purchase.toolId || !(await takeStock(tx, purchase.toolId))) {
      await changeRedemption(tx, purchase.id, "used", "released");
      return "out-of-stock";
    }
  }
  try {
    await inSavepoint(tx, (inner) =>
      inner
        .update(userPurchases)
        .set({
          status: "completed",
          startsAt: now,
          capturedAt: now,
          expiresAt: addDays(now, purchase.validity),
          stockState: "used",
          holdEndsAt: null,
          failedReason: null,
          errorMessage: null,
        })
        .where(eq(userPurchases.id, purchase.id)),
    );
  } catch (error) {
    if (!isExclusionViolation(error)) throw error;
    // Another pass for this tool came to life in between.
    if (input.retake && purchase.toolId) {
      await changeRedemption(tx, purchase.id, "used", "released");
      await giveBackStock(tx, purchase.toolId);
    }
    return "already-owned";
  }
  if (!input.retake) await spendRedemption(ctx, tx, purchase.id);
  return null;
}
