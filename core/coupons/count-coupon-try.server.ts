import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";

/**
 * Counts one code that somebody tries, wherever they try it, so that codes cannot be guessed.
 *
 * @throws DomainError coupon-tries-exceeded; coupon-lookup-failed when it cannot be counted
 */
export async function countCouponTry(ctx: Context): Promise<void> {
  const { rateLimiter } = ctx.ports;
  try {
    // An address is shared by many, so it is counted only where there is no account to count.
    if (ctx.actor.kind === "user") await rateLimiter.consume("coupon-account", ctx.actor.userId);
    else if (ctx.browser) await rateLimiter.consume("coupon-address", ctx.browser.ipAddress);
  } catch (error) {
    if (!isDomainError(error, "rate-limited"))
      throw new DomainError("coupon-lookup-failed", {}, { cause: error });
    throw new DomainError("coupon-tries-exceeded", error.details);
  }
}
