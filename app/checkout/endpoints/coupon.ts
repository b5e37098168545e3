import { checkCoupon } from "#core/coupons/check-coupon.server.ts";
import { answerPostWith, methodNotAllowed } from "./json-response.ts";

/** POST { slug, code }: whether a coupon may be used for the tool, and for how many percent. */
export const action = answerPostWith(checkCoupon);

export function loader(): Response {
  return methodNotAllowed("POST");
}
