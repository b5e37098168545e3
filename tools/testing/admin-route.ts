import { RouterContextProvider } from "react-router";
import type { Context } from "#core/context.ts";
import { shopContext } from "../../app/middleware/request-context.ts";

/**
 * What a loader or action of a page without parameters gets.
 *
 * @param fields of a posted form; a GET request without them
 * @param search such as "?q=canva"
 */
export function routeArguments<const Path extends string>(
  ctx: Context,
  path: Path,
  { fields, search = "" }: { fields?: Readonly<Record<string, string>>; search?: string } = {},
) {
  const url = new URL(`${path}${search}`, ctx.store.origin);
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(url, fields && { method: "POST", body: new URLSearchParams(fields) });
  return { request, url, context, params: {}, pattern: path };
}
