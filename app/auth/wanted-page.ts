import { replace } from "react-router";
import type { Context } from "#core/context.ts";

const WANTED_COOKIE = "daypass.wanted-page";
/** The paths of the pages that need an account. Only they are kept and continued. */
const PAGE_PATH = /^(?=.{1,120}$)(\/[\w-]+)+$/;
/** Long enough for the home page to load on a slow network. */
const KEPT_SECONDS = 60;

/**
 * Redirects a visitor from a page that needs an account to the home page, which offers to sign in and to continue there. The
 * page is kept in a cookie, so that the redirect leads to `/` itself. A page that is open when its session ends is not kept:
 * the buyer may have signed out.
 *
 * @param path the page, without a query
 */
export function redirectVisitor(ctx: Context, path: string, headers: HeadersInit = {}): Response {
  // Without `replace` the back button would lead to this redirect again and again.
  const response = replace("/", { headers });
  if (ctx.browser?.headers.get("sec-fetch-mode") === "navigate" && PAGE_PATH.test(path))
    response.headers.append(
      "set-cookie",
      `${WANTED_COOKIE}=${path}; Path=/; Max-Age=${KEPT_SECONDS}; SameSite=Lax`,
    );
  return response;
}

/** Reads the page that the visitor was redirected from, once; null without one. Called in a browser. */
export function takeWantedPage(): string | null {
  const prefix = `${WANTED_COOKIE}=`;
  const found = document.cookie.split("; ").find((cookie) => cookie.startsWith(prefix));
  if (found === undefined) return null;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists with https only
  document.cookie = `${prefix}; Path=/; Max-Age=0`;
  const path = found.slice(prefix.length);
  return PAGE_PATH.test(path) ? path : null;
}
