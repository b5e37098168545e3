import { checkCoupon } from "#core/coupons/check-coupon.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/coupon";
import { answerWith, methodNotAllowed } from "./answers.ts";
import { readBody } from "./read-body.ts";

/** POST { slug, code }: whether a coupon may be used for the tool, and for how many percent. */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return answerWith(ctx, async () => {
    return checkCoupon(ctx, await readBody(request));
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
