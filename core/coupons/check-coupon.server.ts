import type { z } from "zod";
import { getTool } from "../catalog/get-tool.server.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { countOwnHeldUses, selectCoupon } from "./queries.server.ts";
import { recordCouponAttempt } from "./record-coupon-attempt.server.ts";
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
  ctx: Context,
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
    return { code: coupon.code.toUpperCase(), discountPercentage: coupon.discountPercentage };
  } catch (error) {
    if (isDomainError(error)) throw error;
    ctx.log.error({ err: error }, "coupon lookup failed");
    return { problem: "lookup-failed" };
  }
}
