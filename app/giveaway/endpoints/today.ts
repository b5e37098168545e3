import { readTodaysGiveaway } from "#core/giveaways/read-giveaways.server.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/today";

/** GET: the giveaway of today with the visitor's own part in it, for the popup; null if there is none. */
export function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => ({ giveaway: await readTodaysGiveaway(ctx) }));
}

export function action(): Response {
  return methodNotAllowed("GET");
}
