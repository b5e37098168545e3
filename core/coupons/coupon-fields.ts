import { InvalidInputError } from "../errors.ts";
import { formatLocalDateTime, parseLocalDateTime } from "../local-time.ts";
import type { Coupon } from "./queries.server.ts";

const IN_THE_PAST = "This time has passed. Choose a later one, or untick Active to stop the coupon.";

/**
 * The moment of the form's expiry field. The field has no seconds, so an unchanged one keeps the moment that was stored,
 * even when it has passed.
 *
 * @throws InvalidInputError
 */
export function readExpiry(
  text: string | null,
  { timeZone, now, stored }: { timeZone: string; now: Date; stored: Date | null },
): Date | null {
  if (text === null) return null;
  if (stored !== null && formatLocalDateTime(stored, timeZone) === text) return stored;
  const expiry = parseLocalDateTime(text, timeZone);
  if (expiry === null) throw new InvalidInputError({ expiresAt: ["Enter a date and a time."] });
  if (expiry <= now) throw new InvalidInputError({ expiresAt: [IN_THE_PAST] });
  return expiry;
}

/** A coupon in an audit event. */
export function toCouponRecord(
  coupon: Pick<Coupon, "code" | "toolId" | "discountPercentage" | "usageLimit" | "expiresAt" | "isActive">,
) {
  const { code, toolId, discountPercentage, usageLimit, expiresAt, isActive } = coupon;
  const expiry = expiresAt?.toISOString() ?? null;
  return { code, toolId, discountPercentage, usageLimit, expiresAt: expiry, isActive };
}
