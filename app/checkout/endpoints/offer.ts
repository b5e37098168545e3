import { getOffer } from "#core/checkout/get-offer.server.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/offer";

/** GET ?tool=slug-or-name: the offer for a tool, with the visitor's own state. */
export function loader({ request, context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  const tool = new URL(request.url).searchParams.get("tool") ?? "";
  return respondWith(ctx, () => getOffer(ctx, { tool }));
}

export function action(): Response {
  return methodNotAllowed("GET");
}
