import { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { countUses, selectCoupon, selectLatestUses } from "./queries.server.ts";
import { couponCode } from "./schemas.ts";

const LATEST_USES = 10;

export interface CouponUsage {
  /** Completed purchases with the coupon. */
  timesUsed: number;
  /** The same number as `timesUsed`. The requirements have both names. */
  usedCount: number;
  /** Redemptions of open checkouts. They count against the limit. */
  held: number;
  lastUsed: Date | null;
  latest: Awaited<ReturnType<typeof selectLatestUses>>;
}

/**
 * How often a coupon was used, when last, and its latest ten uses.
 *
 * @throws DomainError unauthenticated, forbidden, coupon-missing
 */
export async function getCouponUsage(ctx: Context, input: { code: string }): Promise<CouponUsage> {
  requireAdmin(ctx, "reads");
  const { code } = parseInput(z.object({ code: couponCode }), input);
  const coupon = await selectCoupon(ctx.db, code);
  if (!coupon) throw new DomainError("coupon-missing");
  const { used, held } = await countUses(ctx.db, coupon.id);
  return {
    timesUsed: used,
    usedCount: used,
    held,
    lastUsed: coupon.lastUsed,
    latest: await selectLatestUses(ctx.db, coupon.id, LATEST_USES),
  };
}
