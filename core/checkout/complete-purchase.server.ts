import { and, eq, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { inSavepoint, sqlState } from "#db/transaction.ts";
import { giveBackStock, takeStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { findActivePass } from "../entitlements/find-active-pass.server.ts";
import { testPassesCount } from "../entitlements/test-passes.ts";
import { addDays } from "../time.ts";
import type { CaptureFacts, RefundReason } from "./capture-decision.ts";
import type { Purchase } from "./queries.server.ts";

const EXCLUSION_VIOLATION = "23P01";

/** What the capture table needs to know of a purchase (locked by the caller) besides the payment itself. */
export async function readCaptureFacts(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
): Promise<Omit<CaptureFacts, "amountMatches">> {
  const [user] = await tx
    .select({ isActive: users.isActive, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, purchase.userId));
  const now = ctx.clock.now();
  const pass = purchase.toolId
    ? await findActivePass(tx, {
        userId: purchase.userId,
        toolId: purchase.toolId,
        now,
        testPassesCount: testPassesCount(ctx),
      })
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
    if (!(await retakeCoupon(tx, purchase))) return "purchase-ended";
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
    if (sqlState(error) !== EXCLUSION_VIOLATION) throw error;
    // Another pass for this tool came to life in between.
    if (input.retake && purchase.toolId) {
      await changeRedemption(tx, purchase.id, "used", "released");
      await giveBackStock(tx, purchase.toolId);
    }
    return "already-owned";
  }
  if (!input.retake) await markRedemptionUsed(ctx, tx, purchase.id);
  return null;
}

async function markRedemptionUsed(ctx: Context, tx: Transaction, purchaseId: string): Promise<void> {
  const couponId = await changeRedemption(tx, purchaseId, "held", "used");
  if (!couponId) return;
  await tx.update(couponCodes).set({ lastUsed: ctx.clock.now() }).where(eq(couponCodes.id, couponId));
}

type RedemptionState = "held" | "used" | "released";

/** @returns the coupon's id when this call made the change, else null */
async function changeRedemption(
  tx: Transaction,
  purchaseId: string,
  from: RedemptionState,
  to: RedemptionState,
): Promise<string | null> {
  const [changed] = await tx
    .update(couponRedemptions)
    .set({ state: to })
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), eq(couponRedemptions.state, from)))
    .returning({ couponId: couponRedemptions.couponId });
  if (!changed) return null;
  if (to === "released") {
    await tx
      .update(couponCodes)
      .set({ usesTaken: sql`${couponCodes.usesTaken} - 1` })
      .where(eq(couponCodes.id, changed.couponId));
  }
  return changed.couponId;
}

/** Takes the coupon use of a purchase again; true when there is none to take or it was still free. */
async function retakeCoupon(tx: Transaction, purchase: Purchase): Promise<boolean> {
  const [redemption] = await tx
    .select({ couponId: couponRedemptions.couponId })
    .from(couponRedemptions)
    .where(and(eq(couponRedemptions.purchaseId, purchase.id), ne(couponRedemptions.state, "used")));
  if (!redemption) return true;
  const [taken] = await tx
    .update(couponCodes)
    .set({ usesTaken: sql`${couponCodes.usesTaken} + 1` })
    .where(
      and(
        eq(couponCodes.id, redemption.couponId),
        sql`(${couponCodes.usageLimit} is null or ${couponCodes.usesTaken} < ${couponCodes.usageLimit})`,
      ),
    )
    .returning({ id: couponCodes.id });
  if (!taken) return false;
  await changeRedemption(tx, purchase.id, "released", "used");
  return true;
}
