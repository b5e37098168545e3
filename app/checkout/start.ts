import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/start";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { slug, option, coupon }: holds one unit and makes the gateway's order; again: the same order. */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    const { slug = "", option, coupon } = await readBody(request);
    return startCheckout(ctx, { slug, option, coupon });
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
