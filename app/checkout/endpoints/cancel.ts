import { cancelCheckout } from "#core/checkout/cancel-checkout.server.ts";
import { answerPostWith, methodNotAllowed } from "./json-response.ts";

/** POST { purchaseId }: the gateway's window was closed; what the checkout held is given back. */
export const action = answerPostWith(cancelCheckout);

export function loader(): Response {
  return methodNotAllowed("POST");
}
