import { and, eq, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";

/** The held use of a purchase, if it has one, is used for good. */
export async function spendRedemption(ctx: Context, tx: Transaction, purchaseId: string): Promise<void> {
  const couponId = await changeRedemption(tx, purchaseId, "held", "used");
  if (!couponId) return;
  await tx.update(couponCodes).set({ lastUsed: ctx.clock.now() }).where(eq(couponCodes.id, couponId));
}

type RedemptionState = "held" | "used" | "released";

/**
 * Moves a purchase's coupon use from one state to the next; only the one who makes the change touches the counter.
 *
 * @returns the coupon's id when this call made the change, else null
 */
export async function changeRedemption(
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
export async function retakeRedemption(tx: Transaction, purchaseId: string): Promise<boolean> {
  const [redemption] = await tx
    .select({ couponId: couponRedemptions.couponId })
    .from(couponRedemptions)
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), ne(couponRedemptions.state, "used")));
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
  await changeRedemption(tx, purchaseId, "released", "used");
  return true;
}
