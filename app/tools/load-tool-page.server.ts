import { data, redirect } from "react-router";
import { findServerByCode } from "#core/access-codes/find-server-by-code.server.ts";
import type { Context } from "#core/context.ts";
import { getToolPage } from "#core/entitlements/get-tool-page.server.ts";
import { isDomainError } from "#core/errors.ts";
import { toErrorMessage } from "../middleware/error-messages.ts";
import { HUMANIZER_SLUG, pagePath } from "./page-path.ts";

const PRIVATE = { "Cache-Control": "private, no-store", "X-Robots-Tag": "noindex" };

/** A code in a link is longer than this only when it is none of ours. */
const LONGEST_CODE = 500;

/**
 * What a tool's page shows to the person who asks: 200 with its servers, 403 without access; signed-out visitors go
 * home. Codes given in the address are taken out of it before anything is shown; they only select their server.
 *
 * @param url the page's own address, also when only its data is asked for (`request.url` then ends with `.data`)
 */
export async function loadToolPage(ctx: Context, url: URL, slug: string) {
  try {
    const { pathname, searchParams: query } = url;
    const elsewhere = slug === HUMANIZER_SLUG && pathname !== pagePath(slug);
    if (elsewhere || query.has("accessCode") || query.has("sessionCode")) {
      throw await toCleanAddress(ctx, query, slug);
    }
    const page = await getToolPage(ctx, { slug });
    const status = page.access === "granted" ? 200 : 403;
    const shown = { page, slug, selectedServerId: query.get("server"), ...placeInTime(ctx) };
    return data(shown, { status, headers: PRIVATE });
  } catch (error) {
    if (isDomainError(error, "unauthenticated")) throw redirect("/", { headers: PRIVATE });
    if (!isDomainError(error)) throw error;
    const { status, message } = toErrorMessage(error);
    throw data(message, { status, headers: PRIVATE });
  }
}

const placeInTime = (ctx: Context) => ({ now: ctx.clock.now(), timeZone: ctx.store.timeZone });

async function toCleanAddress(ctx: Context, query: URLSearchParams, slug: string): Promise<Response> {
  const codes = [query.get("accessCode"), query.get("sessionCode")]
    .map((code) => code ?? "")
    .filter((code) => code.length > 0 && code.length <= LONGEST_CODE);
  const server = (await findServerByCode(ctx, { page: slug, codes })) ?? query.get("server");
  const search = server === null ? "" : `?${new URLSearchParams({ server })}`;
  return redirect(`${pagePath(slug)}${search}`, { headers: PRIVATE });
}

/** The words of a refused code. On the humanizer's page they name who can help. */
export function codeRefusal(error: unknown, slug: string): { status: number; message: string } {
  const { status, message } = toErrorMessage(error);
  const asksSupport = slug === HUMANIZER_SLUG && isDomainError(error, "access-code-not-found");
  return { status, message: asksSupport ? `${message}. Please contact support.` : message };
}
