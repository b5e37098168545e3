import { listOtherTexts, listToolsToRead } from "#core/catalog/on-sale.server.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/more-texts-endpoint";
import { moreTextsOf } from "./card-texts.ts";

/** GET: the texts in which the search looks, and that the cards do not show. */
export function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => ({
    texts: moreTextsOf(await listToolsToRead(ctx), await listOtherTexts(ctx)),
  }));
}

export function action(): Response {
  return methodNotAllowed("GET");
}
