import { z } from "zod";
import { cookiePrefix } from "#core/accounts/authenticator.ts";
import { findSignInPage, readSignInConditions } from "#core/accounts/sign-in-diagnostics.server.ts";
import type { Context } from "#core/context.ts";
import { parseInput } from "#core/parse.ts";
import { respondWith } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import { PAGE_COOKIE } from "../troubleshooter/run-diagnostics.ts";
import type { Route } from "./+types/diagnostics";

/** Chosen by the page, so that it recognises its own cookies. */
const probeInput = z.object({ probe: z.string().regex(/^[0-9a-f]{32}$/) });
const KEPT_SECONDS = 60;

/** POST: sets a cookie with the attributes of the session's, and says whether the cookie of the page arrived. */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  let setCookie = "";
  const response = await respondWith(ctx, async () => {
    const { probe } = parseInput(probeInput, input);
    await readSignInConditions(ctx);
    setCookie = cookieLike(ctx, probe, KEPT_SECONDS);
    return { pageCookie: readCookie(ctx, PAGE_COOKIE) === probe };
  });
  if (setCookie !== "") response.headers.append("set-cookie", setCookie);
  return response;
}

/** GET ?probe=: whether that cookie came back, the time of the shop, and whether the browser is signed in. */
export async function loader({ request, context, pattern }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  if (pattern.endsWith("/provider"))
    return respondWith(ctx, async () => ({ provider: await findSignInPage(ctx) }));
  const probe = new URL(request.url).searchParams.get("probe") ?? "";
  const response = await respondWith(ctx, async () => {
    const conditions = await readSignInConditions(ctx);
    return { ...conditions, sessionCookie: probe !== "" && readCookie(ctx, cookieName(ctx)) === probe };
  });
  response.headers.append("set-cookie", cookieLike(ctx, "", 0));
  return response;
}

const isSecure = ({ store }: Context) => store.origin.startsWith("https:");

const cookieName = (ctx: Context) => `${cookiePrefix(isSecure(ctx))}.diagnostics`;

/** A cookie with the name's prefix and the attributes of the session cookie, so that a browser treats both alike. */
function cookieLike(ctx: Context, value: string, maxAge: number): string {
  const secure = isSecure(ctx) ? "; Secure" : "";
  return `${cookieName(ctx)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

function readCookie({ browser }: Context, name: string): string | null {
  const start = `${name}=`;
  const found = (browser?.headers.get("cookie") ?? "").split(/;\s*/).find((one) => one.startsWith(start));
  return found?.slice(start.length) ?? null;
}
