import { and, asc, eq, inArray, ne, or, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { type Coupon, selectCoupon, selectHeldCoupon } from "./queries.server.ts";
import { COUPON_REFUSALS, findCouponProblem } from "./rules.ts";

/*
 * The redemption of a purchase, and the counter of its coupon. A redemption is held, used or released; the counter
 * `usesTaken` counts held and used ones. The callers authorise.
 */

/** The coupon with this code, whether or not it may be used; null when there is none, or when it is deleted. */
export function findCoupon(tx: Transaction, code: string): Promise<Coupon | null> {
  return selectCoupon(tx, code);
}

/** The coupon that an open checkout holds a use of, also when it was deleted since; null without one. */
export function findHeldCoupon(tx: Transaction, purchaseId: string): Promise<Coupon | null> {
  return selectHeldCoupon(tx, purchaseId);
}

/**
 * Locks the coupons of these purchases, and the coupon that replaces one of them, in the order of their ids: otherwise
 * two buyers who swap their coupons could deadlock.
 */
export async function lockCouponsOf(
  tx: Transaction,
  purchaseIds: readonly string[],
  replacement?: Coupon,
): Promise<void> {
  if (purchaseIds.length === 0) return;
  const redeemed = tx
    .select({ id: couponRedemptions.couponId })
    .from(couponRedemptions)
    .where(inArray(couponRedemptions.purchaseId, [...purchaseIds]));
  await tx
    .select({ id: couponCodes.id })
    .from(couponCodes)
    .where(
      or(replacement ? eq(couponCodes.id, replacement.id) : undefined, inArray(couponCodes.id, redeemed)),
    )
    .orderBy(asc(couponCodes.id))
    .for("no key update");
}

/**
 * Holds one use of a coupon for a purchase, before the row of the tool is locked. The caller has already released what
 * the buyer held before.
 *
 * @throws DomainError coupon-not-found, coupon-inactive, coupon-limit-reached, coupon-expired; coupon-used-up when
 *   another buyer took the last use in the meantime
 */
export async function holdRedemption(
  ctx: Context,
  tx: Transaction,
  input: { coupon: Coupon | null; toolId: string; purchaseId: string },
): Promise<void> {
  const { coupon, toolId, purchaseId } = input;
  const now = ctx.clock.now();
  // The counter that was read may be stale. So the rules run without the limit, and the statement in `reserveUse`
  // enforces it.
  const unlimited = coupon && { ...coupon, usageLimit: null };
  const problem = findCouponProblem(unlimited, { toolId, now, ownUses: 0 });
  if (!coupon || problem === "not-found" || problem === "inactive") {
    throw new DomainError(COUPON_REFUSALS[problem ?? "not-found"].code);
  }
  if (!(await reserveUse(tx, coupon.id))) throw new DomainError("coupon-used-up");
  if (problem) throw new DomainError(COUPON_REFUSALS[problem].code);
  await tx
    .insert(couponRedemptions)
    .values({ purchaseId, couponId: coupon.id, state: "held", createdAt: now });
  changed(tx, couponRedemptions);
}

/** Marks the held redemption of a purchase as used; does nothing when it has none. */
export async function consumeRedemption(ctx: Context, tx: Transaction, purchaseId: string): Promise<void> {
  const [consumed] = await tx
    .update(couponRedemptions)
    .set({ state: "used" })
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), eq(couponRedemptions.state, "held")))
    .returning({ couponId: couponRedemptions.couponId });
  changed(tx, couponRedemptions);
  if (!consumed) return;
  await tx
    .update(couponCodes)
    .set({ lastUsed: ctx.clock.now() })
    .where(eq(couponCodes.id, consumed.couponId));
  changed(tx, couponCodes);
}

/** Releases the redemption of a purchase; does nothing when it has none or it is already released. */
export async function releaseRedemption(tx: Transaction, purchaseId: string): Promise<void> {
  const [released] = await tx
    .update(couponRedemptions)
    .set({ state: "released" })
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), ne(couponRedemptions.state, "released")))
    .returning({ couponId: couponRedemptions.couponId });
  changed(tx, couponRedemptions);
  if (!released) return;
  await tx
    .update(couponCodes)
    // A wrong counter must not block a release of stock and money. The ledger audit reports it.
    .set({ usesTaken: sql`greatest(${couponCodes.usesTaken} - 1, 0)` })
    .where(eq(couponCodes.id, released.couponId));
  changed(tx, couponCodes);
}

/**
 * Locks the coupon of a purchase's redemption until the end of the transaction.
 *
 * @returns whether `reacquireRedemption` will succeed: there is nothing to reacquire, or a use is left
 */
export async function lockReleasedRedemption(tx: Transaction, purchaseId: string): Promise<boolean> {
  const [coupon] = await tx
    .select({ usageLimit: couponCodes.usageLimit, usesTaken: couponCodes.usesTaken })
    .from(couponRedemptions)
    .innerJoin(couponCodes, eq(couponCodes.id, couponRedemptions.couponId))
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), ne(couponRedemptions.state, "used")))
    .for("no key update", { of: couponCodes });
  return !coupon || coupon.usageLimit === null || coupon.usesTaken < coupon.usageLimit;
}

/**
 * Takes the released redemption of a purchase again and marks it as used.
 *
 * @returns false when the coupon has no use left; true otherwise, also when the purchase has no redemption to take
 */
export async function reacquireRedemption(
  ctx: Context,
  tx: Transaction,
  purchaseId: string,
): Promise<boolean> {
  const [redemption] = await tx
    .select({ couponId: couponRedemptions.couponId })
    .from(couponRedemptions)
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), ne(couponRedemptions.state, "used")));
  if (!redemption) return true;
  if (!(await reserveUse(tx, redemption.couponId))) return false;
  await tx
    .update(couponRedemptions)
    .set({ state: "held" })
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), eq(couponRedemptions.state, "released")));
  changed(tx, couponRedemptions);
  await consumeRedemption(ctx, tx, purchaseId);
  return true;
}

/**
 * Counts one more use. The condition in the statement keeps the coupon within its limit. @returns false at the limit
 */
async function reserveUse(tx: Transaction, couponId: string): Promise<boolean> {
  const reserved = await tx
    .update(couponCodes)
    .set({ usesTaken: sql`${couponCodes.usesTaken} + 1` })
    .where(
      and(
        eq(couponCodes.id, couponId),
        sql`(${couponCodes.usageLimit} is null or ${couponCodes.usesTaken} < ${couponCodes.usageLimit})`,
      ),
    )
    .returning({ id: couponCodes.id });
  changed(tx, couponCodes);
  return reserved.length === 1;
}
