import { RouterContextProvider } from "react-router";
import type { Context } from "#core/context.ts";
import { shopContext } from "../../middleware/request-context.ts";

interface AdminRequest<Pattern extends string, Params> {
  /** The path of the route, such as "/admin/users/:userId/tools". */
  pattern: Pattern;
  params: Params;
  /** The search part of the address. */
  search?: Record<string, string>;
  /** What a form posts. Without it the request is a GET. */
  fields?: Record<string, string>;
}

/** The arguments of a loader or an action of the admin, for a request of the given person. */
export function adminRequest<const Pattern extends string, const Params extends Record<string, string>>(
  ctx: Context,
  { pattern, params, search = {}, fields }: AdminRequest<Pattern, Params>,
) {
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => params[name] ?? "");
  const url = new URL(`${path}?${new URLSearchParams(search)}`, ctx.store.origin);
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(url, fields && { method: "POST", body: new URLSearchParams(fields) });
  return { request, url, context, params, pattern };
}

/** The admin, who entered the password too long ago. */
export function withoutPassword(ctx: Context): Context {
  if (ctx.actor.kind !== "admin") throw new Error("this is no admin");
  return { ...ctx, actor: { ...ctx.actor, passwordEnteredAt: null } };
}

/** Every query fails, and not by a refusal. */
export function withoutDatabase(ctx: Context): Context {
  const db = new Proxy(ctx.db, {
    get() {
      throw new Error("the query failed");
    },
  });
  return { ...ctx, db };
}
