import { replace } from "react-router";
import { whySignedOut } from "#core/accounts/sessions.server.ts";
import type { Context } from "#core/context.ts";
import { PAGE_PATH, SESSION_ENDED, WANTED_COOKIE } from "./wanted-page.ts";

/** Long enough for the home page to load on a slow network. */
const KEPT_SECONDS = 60;

/**
 * Redirects a visitor from a page that needs an account to the home page, which offers to sign in and to continue there. The
 * page is kept in a cookie, so that the redirect leads to `/` itself. A page that is open when its session ends is kept unless
 * the buyer has signed out in this browser.
 *
 * @param path the page, without a query
 */
export async function redirectVisitor(
  ctx: Context,
  path: string,
  headers: HeadersInit = {},
): Promise<Response> {
  // Without `replace` the back button would lead to this redirect again and again.
  const response = replace("/", { headers });
  const ended = (await whySignedOut(ctx)) === "session-ended" ? SESSION_ENDED : "";
  const isNavigation = ctx.browser?.headers.get("sec-fetch-mode") === "navigate";
  if ((isNavigation || ended) && PAGE_PATH.test(path))
    response.headers.append(
      "set-cookie",
      `${WANTED_COOKIE}=${path}${ended}; Path=/; Max-Age=${KEPT_SECONDS}; SameSite=Lax`,
    );
  return response;
}
