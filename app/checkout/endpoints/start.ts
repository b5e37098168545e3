import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import { answerPostWith, methodNotAllowed } from "./json-response.ts";

/** POST { slug, option, coupon }: holds one unit and makes the gateway's order; again: the same order. */
export const action = answerPostWith(startCheckout);

export function loader(): Response {
  return methodNotAllowed("POST");
}
