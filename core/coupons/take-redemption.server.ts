import { asc, eq, inArray, or } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { reserveUse } from "./change-redemption.server.ts";
import { type Coupon, selectCoupon } from "./queries.server.ts";
import { findCouponProblem } from "./rules.ts";

/** The coupon that a checkout names, if there is one of that code; whether it may be used is not said yet. */
export function findCoupon(tx: Transaction, code: string): Promise<Coupon | null> {
  return selectCoupon(tx, code);
}

/**
 * Locks the coupons that purchases use, and the one that the next of them is to use, in one order for everybody: two who
 * change the other way round would otherwise each wait for the other.
 */
export async function lockCouponsOf(
  tx: Transaction,
  purchaseIds: readonly string[],
  next?: Coupon,
): Promise<void> {
  if (purchaseIds.length === 0) return;
  const used = tx
    .select({ id: couponRedemptions.couponId })
    .from(couponRedemptions)
    .where(inArray(couponRedemptions.purchaseId, [...purchaseIds]));
  await tx
    .select({ id: couponCodes.id })
    .from(couponCodes)
    .where(or(next ? eq(couponCodes.id, next.id) : undefined, inArray(couponCodes.id, used)))
    .orderBy(asc(couponCodes.id))
    .for("no key update");
}

/**
 * Takes one use of a coupon for a purchase, in the running transaction and before the tool's row is touched; it is held
 * until the purchase is paid or given up. Trusts its caller to have given back what the buyer held before.
 *
 * @throws DomainError coupon-not-found, coupon-inactive, coupon-limit-reached, coupon-expired; coupon-used-up when its
 *   last use went to somebody else at this moment
 */
export async function holdRedemption(
  ctx: Context,
  tx: Transaction,
  input: { coupon: Coupon | null; toolId: string; purchaseId: string },
): Promise<void> {
  const { coupon, toolId, purchaseId } = input;
  const now = ctx.clock.now();
  // What was read of the count is old already: the limit is left to the statement, and asked for in its place.
  const use = { toolId, now, ownUses: 0 };
  const problem = findCouponProblem(coupon && { ...coupon, usageLimit: null }, use);
  if (!coupon || problem === "not-found" || problem === "inactive") {
    throw new DomainError(problem === "inactive" ? "coupon-inactive" : "coupon-not-found");
  }
  if (!(await reserveUse(tx, coupon.id))) throw new DomainError("coupon-used-up");
  if (problem) throw new DomainError(`coupon-${problem}`);
  await tx
    .insert(couponRedemptions)
    .values({ purchaseId, couponId: coupon.id, state: "held", createdAt: now });
}
