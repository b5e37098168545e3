import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";

/**
 * Counts one code that somebody tries, wherever they try it, so that codes cannot be guessed: visitors by their address,
 * buyers by their account and, with a wider limit, by their address.
 *
 * @throws DomainError coupon-tries-exceeded; coupon-lookup-failed when it cannot be counted
 */
export async function recordCouponAttempt(ctx: Context): Promise<void> {
  const { rateLimiter } = ctx.ports;
  try {
    const address = ctx.browser?.ipAddress;
    if (ctx.actor.kind !== "user") {
      if (address !== undefined) await rateLimiter.consume("coupon-address", address);
      return;
    }
    await rateLimiter.consume("coupon-account", ctx.actor.userId);
    // Accounts cost nothing, so the address is counted too; its limit is wide because many buyers may share it.
    if (address !== undefined) await rateLimiter.consume("coupon-address-signed-in", address);
  } catch (error) {
    if (isDomainError(error, "coupon-tries-exceeded")) throw error;
    throw new DomainError("coupon-lookup-failed", {}, { cause: error });
  }
}
