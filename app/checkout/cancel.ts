import { cancelCheckout } from "#core/checkout/cancel-checkout.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/cancel";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { purchaseId }: the gateway's window was closed; what the checkout held is given back. */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    const { purchaseId = "" } = await readBody(request);
    return cancelCheckout(ctx, { purchaseId });
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
