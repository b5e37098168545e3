import { and, eq, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";

/** The held use of a purchase, if it has one, is used for good. */
export async function consumeRedemption(ctx: Context, tx: Transaction, purchaseId: string): Promise<void> {
  const [spent] = await tx
    .update(couponRedemptions)
    .set({ state: "used" })
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), eq(couponRedemptions.state, "held")))
    .returning({ couponId: couponRedemptions.couponId });
  if (!spent) return;
  await tx.update(couponCodes).set({ lastUsed: ctx.clock.now() }).where(eq(couponCodes.id, spent.couponId));
}

/** Gives the coupon use of a purchase back; only the one who makes the change touches the counter. */
export async function releaseRedemption(tx: Transaction, purchaseId: string): Promise<void> {
  const [released] = await tx
    .update(couponRedemptions)
    .set({ state: "released" })
    .where(and(eq(couponRedemptions.purchaseId, purchaseId), ne(couponRedemptions.state, "released")))
    .returning({ couponId: couponRedemptions.couponId });
  if (!released) return;
  await tx
    .update(couponCodes)
    // A counter that is wrong already is the watch's to report, and no reason to keep stock and money waiting.
    .set({ usesTaken: sql`greatest(${couponCodes.usesTaken} - 1, 0)` })
    .where(eq(couponCodes.id, released.couponId));
}

/** Takes the released coupon use of a purchase again, for good; true when there is none to take or one was still free. */
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
  await consumeRedemption(ctx, tx, purchaseId);
  return true;
}

/** Takes one use by one conditional statement, which is what keeps a coupon within its limit. */
export async function reserveUse(tx: Transaction, couponId: string): Promise<boolean> {
  const taken = await tx
    .update(couponCodes)
    .set({ usesTaken: sql`${couponCodes.usesTaken} + 1` })
    .where(
      and(
        eq(couponCodes.id, couponId),
        sql`(${couponCodes.usageLimit} is null or ${couponCodes.usesTaken} < ${couponCodes.usageLimit})`,
      ),
    )
    .returning({ id: couponCodes.id });
  return taken.length === 1;
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
