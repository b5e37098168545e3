import { checkCoupon } from "#core/coupons/check-coupon.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/coupon";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { slug, code }: whether a coupon may be used for the tool, and for how many percent. */
export function action({ request, context }: Route.ActionArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    const { slug = "", code = "" } = await readBody(request);
    return checkCoupon(ctx, { slug, code });
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
