import { refreshCheckoutStatus } from "#core/checkout/checkout-status.server.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/status";

/** GET ?purchaseId=: the status of the buyer's own checkout, after asking the gateway. */
export function loader({ request, context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  const purchaseId = new URL(request.url).searchParams.get("purchaseId") ?? "";
  return respondWith(ctx, () => refreshCheckoutStatus(ctx, { purchaseId }));
}

export function action(): Response {
  return methodNotAllowed("GET");
}
