import { confirmCheckout } from "#core/checkout/confirm-checkout.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/confirm";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { orderId, paymentId, signature }: what the gateway's window handed back; the gateway itself is asked. */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    return confirmCheckout(ctx, await readBody(request));
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
