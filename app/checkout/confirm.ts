import { confirmCheckout } from "#core/checkout/confirm-checkout.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/confirm";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { orderId, paymentId, signature }: what the gateway's window handed back; the gateway itself is asked. */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    const { orderId = "", paymentId = "", signature = "" } = await readBody(request);
    return confirmCheckout(ctx, { orderId, paymentId, signature });
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
