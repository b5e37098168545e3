import type { z } from "zod";
import { getTool } from "../catalog/get-tool.server.ts";
import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";
import { parseInput, type Unparsed } from "../parse.ts";
import { countOwnHeldUses, selectCoupon } from "./queries.server.ts";
import { type CouponProblem, couponReason, findCouponProblem } from "./rules.ts";
import { couponForTool } from "./schemas.ts";

export type CouponValidity =
  | { valid: true; code: string; discountPercentage: number }
  | { valid: false; problem: CouponProblem | "lookup-failed"; reason: string };

/**
 * Whether a coupon can be used for a tool by the one who asks, now. Open to all; takes nothing. A failure to look it up
 * is an answer too, because a buyer can go on without a coupon.
 *
 * @throws DomainError tool-not-found, invalid-input
 */
export async function validateCoupon(
  ctx: Context,
  input: z.input<typeof couponForTool> | Unparsed,
): Promise<CouponValidity> {
  const { slug, code } = parseInput(couponForTool, input);
  try {
    return await look(ctx, slug, code);
  } catch (error) {
    if (isDomainError(error)) throw error;
    ctx.log.error({ err: error }, "a coupon could not be looked up");
    return refuse("lookup-failed");
  }
}

async function look(ctx: Context, slug: string, code: string): Promise<CouponValidity> {
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
  if (problem || !coupon) return refuse(problem ?? "not-found");
  return { valid: true, code: coupon.code.toUpperCase(), discountPercentage: coupon.discountPercentage };
}

const refuse = (problem: CouponProblem | "lookup-failed"): CouponValidity => ({
  valid: false,
  problem,
  reason: couponReason(problem),
});
