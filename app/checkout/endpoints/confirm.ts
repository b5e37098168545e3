import { confirmCheckout } from "#core/checkout/confirm-checkout.server.ts";
import { answerPostWith, methodNotAllowed } from "./json-response.ts";

/** POST { orderId, paymentId, signature }: what the gateway's window handed back; the gateway itself is asked. */
export const action = answerPostWith(confirmCheckout);

export function loader(): Response {
  return methodNotAllowed("POST");
}
