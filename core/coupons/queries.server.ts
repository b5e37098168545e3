import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";

export type Coupon = typeof couponCodes.$inferSelect;

/** A deleted coupon is not found: its code may belong to a new one. @param code as `normaliseCouponCode` returns it */
export async function selectCoupon(executor: Executor, code: string): Promise<Coupon | null> {
  const [coupon] = await executor
    .select()
    .from(couponCodes)
    .where(and(eq(sql`upper(${couponCodes.code})`, code), isNull(couponCodes.deletedAt)));
  return coupon ?? null;
}

/** The coupon, locked until the end of the transaction; null when it is deleted. */
export async function lockCoupon(tx: Transaction, id: string): Promise<Coupon | null> {
  const [coupon] = await tx
    .select()
    .from(couponCodes)
    .where(and(eq(couponCodes.id, id), isNull(couponCodes.deletedAt)))
    .for("no key update");
  return coupon ?? null;
}

/** Whether the tool exists and is not deleted. */
export async function isTool(executor: Executor, toolId: string): Promise<boolean> {
  return (await executor.$count(tools, and(eq(tools.id, toolId), isNull(tools.deletedAt)))) > 0;
}

/** How many redemptions of a coupon the buyer's own open checkouts hold for a tool. */
export async function countOwnHeldUses(
  executor: Executor,
  input: { couponId: string; userId: string; toolId: string; now: Date },
): Promise<number> {
  const held = executor
    .select({ id: userPurchases.id })
    .from(couponRedemptions)
    .innerJoin(userPurchases, eq(userPurchases.id, couponRedemptions.purchaseId))
    .where(
      and(
        eq(couponRedemptions.couponId, input.couponId),
        eq(couponRedemptions.state, "held"),
        eq(userPurchases.userId, input.userId),
        eq(userPurchases.toolId, input.toolId),
        gt(userPurchases.holdEndsAt, input.now),
      ),
    );
  return (await held).length;
}

export async function countUses(
  executor: Executor,
  couponId: string,
): Promise<{ used: number; held: number }> {
  const countInState = (state: "used" | "held") =>
    executor.$count(
      couponRedemptions,
      and(eq(couponRedemptions.couponId, couponId), eq(couponRedemptions.state, state)),
    );
  return { used: await countInState("used"), held: await countInState("held") };
}

/** The latest uses first. */
export async function selectLatestUses(executor: Executor, couponId: string, limit: number) {
  return executor
    .select({
      purchaseId: userPurchases.id,
      userEmail: userPurchases.userEmail,
      toolName: userPurchases.toolName,
      amountPaise: userPurchases.amountPaise,
      discountPaise: userPurchases.discountPaise,
      usedAt: userPurchases.capturedAt,
    })
    .from(couponRedemptions)
    .innerJoin(userPurchases, eq(userPurchases.id, couponRedemptions.purchaseId))
    .where(and(eq(couponRedemptions.couponId, couponId), eq(couponRedemptions.state, "used")))
    .orderBy(desc(userPurchases.capturedAt), desc(userPurchases.id))
    .limit(limit);
}
