import type { z } from "zod";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import type { Unparsed } from "../parse.ts";
import { recordCouponAttempt } from "./record-coupon-attempt.server.ts";
import type { couponForTool } from "./schemas.ts";
import { validateCoupon } from "./validate-coupon.server.ts";

/**
 * What a coupon takes off a tool's price, for the purchase dialog. Takes nothing: the use is taken when the checkout
 * starts. Open to all, as often as somebody mistypes codes but not as often as it takes to guess them.
 *
 * @throws DomainError coupon-not-found, coupon-inactive, coupon-limit-reached, coupon-expired, coupon-lookup-failed,
 *   coupon-tries-exceeded, tool-not-found, invalid-input
 */
export async function checkCoupon(
  ctx: Context,
  input: z.input<typeof couponForTool> | Unparsed,
): Promise<{ code: string; discountPercentage: number }> {
  await recordCouponAttempt(ctx);
  const found = await validateCoupon(ctx, input);
  if (found.valid) return { code: found.code, discountPercentage: found.discountPercentage };
  ctx.log.info({ reason: found.reason }, "coupon refused");
  throw new DomainError(`coupon-${found.problem}`);
}
