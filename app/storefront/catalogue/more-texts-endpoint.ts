import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/more-texts-endpoint";
import { readMoreTexts } from "./more-texts.server.ts";

/** GET: the texts in which the search looks, and that the cards do not show. */
export function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => {
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    return new Response(`{"ok":true,"texts":${(await readMoreTexts(ctx)).json}}`, { headers });
  });
}

export function action(): Response {
  return methodNotAllowed("GET");
}
