import { refreshCheckoutStatus } from "#core/checkout/refresh-checkout-status.server.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/status";
import { answerWith, methodNotAllowed } from "./json-response.ts";

/** GET ?purchaseId=: where the buyer's own checkout stands, asked of the gateway first. */
export function loader({ request, context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  const purchaseId = new URL(request.url).searchParams.get("purchaseId") ?? "";
  return answerWith(ctx, () => refreshCheckoutStatus(ctx, { purchaseId }));
}

export function action(): Response {
  return methodNotAllowed("GET");
}
