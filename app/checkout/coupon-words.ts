const LOOKUP_FAILED = "Error validating coupon";
const INVALID = "Invalid coupon code";

/** Refusals that are about the coupon, whichever address gave them. */
export function isAboutCoupon(code: string | undefined): boolean {
  return code?.startsWith("coupon-") ?? false;
}

/** What stands below the field. No answer, an unreadable one or a fault of the shop's is a failed look-up. */
export function couponError(refusal: { code: string; message: string } | null): string {
  if (refusal?.code === "invalid-input") return INVALID;
  return refusal && isAboutCoupon(refusal.code) ? refusal.message : LOOKUP_FAILED;
}
