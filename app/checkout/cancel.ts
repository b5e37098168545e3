import { cancelCheckout } from "#core/checkout/cancel-checkout.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/cancel";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { purchaseId }: the gateway's window was closed; what the checkout held is given back. */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    return cancelCheckout(ctx, await readBody(request));
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
