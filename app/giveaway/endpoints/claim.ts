import { claimGiveaway } from "#core/giveaways/claim-giveaway.server.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/claim";

/** POST { roundId }: claims the giveaway that the page showed. */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => claimGiveaway(ctx, await readBody(request)));
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
