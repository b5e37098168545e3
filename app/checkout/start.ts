import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/start";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { slug, option, coupon }: holds one unit and makes the gateway's order; again: the same order. */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    return startCheckout(ctx, await readBody(request));
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
