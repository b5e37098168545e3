const LOOKUP_FAILED = "Error validating coupon";
const INVALID = "Invalid coupon code";

/** Refusals that are about the coupon, whichever address gave them. */
export function isAboutCoupon(code: string | undefined): boolean {
  return code?.startsWith("coupon-") ?? false;
}

/** The last use was taken between Apply and Pay: to the buyer the same fact, in the same words. */
const USED_UP = "This coupon has reached its usage limit";

/** What stands below the field. No answer, an unreadable one or a fault of the shop's is a failed look-up. */
export function couponError(refusal: { code: string; message: string } | null): string {
  if (refusal?.code === "invalid-input") return INVALID;
  if (refusal?.code === "coupon-used-up") return USED_UP;
  return refusal && isAboutCoupon(refusal.code) ? refusal.message : LOOKUP_FAILED;
}
