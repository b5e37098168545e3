import { messageForCode } from "../../middleware/error-messages.ts";

const LOOKUP_FAILED = messageForCode("coupon-lookup-failed");
const INVALID = messageForCode("coupon-not-found");
/** Also for a last use that another buyer took between Apply and Pay: for this buyer it is the same. */
const USED_UP = messageForCode("coupon-limit-reached");

/** Whether a refusal, of any endpoint, is about the coupon. */
export function isCouponRefusal(code: string | undefined): boolean {
  return code?.startsWith("coupon-") ?? false;
}

/** The message below the coupon field. No response, an unreadable one or a server error is a failed look-up. */
export function couponErrorMessage(refusal: { code: string; message: string } | null): string {
  if (refusal?.code === "invalid-input") return INVALID;
  if (refusal?.code === "coupon-used-up") return USED_UP;
  return refusal && isCouponRefusal(refusal.code) ? refusal.message : LOOKUP_FAILED;
}
