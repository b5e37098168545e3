import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";

/**
 * Counts one coupon attempt, so that codes cannot be guessed. Visitors are counted by address; buyers by account and,
 * with a higher limit, by address.
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
    // Accounts are free to create, so the address is limited too. Its limit is higher because buyers may share it.
    if (address !== undefined) await rateLimiter.consume("coupon-address-signed-in", address);
  } catch (error) {
    if (isDomainError(error, "coupon-tries-exceeded")) throw error;
    throw new DomainError("coupon-lookup-failed", {}, { cause: error });
  }
}
