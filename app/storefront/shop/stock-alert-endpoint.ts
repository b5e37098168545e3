import { setStockAlert } from "#core/stock-alerts/stock-alerts.server.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/stock-alert-endpoint";

/** POST { wanted }: the buyer wants a mail when the tool of the path is in stock again, or wants none any more. */
export async function action({ request, params, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => {
    const { wanted } = await readBody(request);
    return setStockAlert(ctx, { slug: params.slug, wanted });
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
