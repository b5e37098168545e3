import { and, asc, eq, inArray, ne, or, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { type AuthorisedContext, allowAnyone } from "../authorise.ts";
import { getTool } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { type Coupon, countOwnHeldUses, selectCoupon } from "./queries.server.ts";
import { COUPON_REFUSALS, type CouponProblem, findCouponProblem } from "./rules.ts";
import { couponForTool } from "./schemas.ts";

/** The code in upper case, and the percentage that it takes off the price. */
interface CouponDiscount {
  code: string;
  discountPercentage: number;
}

/**
 * Whether the actor can use a coupon for a tool now, for the purchase dialog. Open to all, within the limit on coupon
 * attempts. Holds nothing: the start of the checkout holds the redemption.
 *
 * @throws DomainError coupon-not-found, coupon-inactive, coupon-limit-reached, coupon-expired, coupon-lookup-failed,
 *   coupon-tries-exceeded, tool-not-found, invalid-input
 */
export async function checkCoupon(
  ctx: Context,
  input: z.input<typeof couponForTool> | UntrustedInput,
): Promise<CouponDiscount> {
  allowAnyone(ctx);
  await recordCouponAttempt(ctx);
  const { slug, code } = parseInput(couponForTool, input);
  const found = await lookUpCoupon(ctx, slug, code);
  if (!("problem" in found)) return found;
  const refusal = COUPON_REFUSALS[found.problem];
  ctx.log.info({ reason: refusal.reason }, "coupon refused");
  throw new DomainError(refusal.code);
}

/** A failed query is a problem of its own, and not an internal error: the buyer can go on without a coupon. */
async function lookUpCoupon(
  ctx: AuthorisedContext,
  slug: string,
  code: string,
): Promise<CouponDiscount | { problem: CouponProblem }> {
  try {
    const now = ctx.clock.now();
    const tool = await getTool(ctx, { slug });
    const coupon = await selectCoupon(ctx.db, code);
    const { actor } = ctx;
    const signedIn = actor.kind === "user" || actor.kind === "admin";
    const ownUses =
      coupon && signedIn
        ? await countOwnHeldUses(ctx.db, { couponId: coupon.id, userId: actor.userId, toolId: tool.id, now })
        : 0;
    const problem = findCouponProblem(coupon, { toolId: tool.id, now, ownUses });
    if (problem || !coupon) return { problem: problem ?? "not-found" };
    return { code: coupon.code, discountPercentage: coupon.discountPercentage };
  } catch (error) {
    if (isDomainError(error)) throw error;
    ctx.log.error({ err: error }, "coupon lookup failed");
    return { problem: "lookup-failed" };
  }
}

/**
 * Counts one coupon attempt, so that codes cannot be guessed. Visitors are counted by address; buyers by account and,
 * with a higher limit, by address.
 *
 * @throws DomainError coupon-tries-exceeded; coupon-lookup-failed when it cannot be counted
 */
export async function recordCouponAttempt(ctx: AuthorisedContext): Promise<void> {
  const { rateLimiter } = ctx.ports;
  try {
    const address = ctx.browser?.ipAddress;
    if (ctx.actor.kind !== "user") {
      if (address !== undefined) await rateLimiter.consume("coupon-address", address);
      return;
    }
    await rateLimiter.consume("coupon-account", ctx.actor.userId);
    // Accounts are free to create, so the address is limited too. Its limit is higher because buyers may share it.
    if (address !== undefined) await rateLimiter.consume("coupon-address-signed-in", address);
  } catch (error) {
    if (isDomainError(error, "coupon-tries-exceeded")) throw error;
    throw new DomainError("coupon-lookup-failed", {}, { cause: error });
  }
}

/*
 * The redemption of a purchase is held, used or released; the counter `usesTaken` of its coupon counts held and used
 * ones. The callers of what follows authorise.
 */

/** The coupon with this code, whether or not it may be used; null when there is none, or when it is deleted. */
export function findCoupon(tx: Transaction, code: string): Promise<Coupon | null> {
  return selectCoupon(tx, code);
}

/** The coupon that an open checkout holds a use of, also when it was deleted since; null if there is none. */
export async function findHeldCoupon(tx: Transaction, purchaseId: string): Promise<Coupon | null> {
  const [row] = await tx
    .select({ coupon: couponCodes })
    .from(couponRedemptions)
    .innerJoin(couponCodes, eq(couponCodes.id, couponRedemptions.couponId))
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), eq(couponRedemptions.state, "held")));
  return row?.coupon ?? null;
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
