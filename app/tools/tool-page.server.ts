import { data, type HeadersFunction, redirect } from "react-router";
import { type FoundByCode, findServerByCode } from "#core/access-codes/find-server-codes.server.ts";
import { isHandheld } from "#core/accounts/browser-name.ts";
import type { Context } from "#core/context.ts";
import { DomainError, isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { getToolPage } from "#core/tool-pages/get-tool-page.server.ts";
import { redirectVisitor } from "../auth/wanted-page.server.ts";
import { retryHeaders, toErrorCode, toErrorMessage } from "../errors/error-messages.ts";
import { extensionIdOf } from "../extension-api/extension-zip.ts";
import { readBody } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import { t } from "../ui/texts/texts.ts";
import { HUMANIZER_SLUG, pagePath } from "./page-path.ts";

const PRIVATE = { "Cache-Control": "private, no-store", "X-Robots-Tag": "noindex" };

/** In the query: the link had a code that belongs to another tool. */
const OF_OTHER_TOOL = "other-tool";

/**
 * Loads a tool page: 200 with its servers, 403 without access; visitors are redirected to the home page. An access code
 * in the query selects its server and is removed from the URL by a redirect before anything is shown, a refusal included: no
 * page, nothing that a page loads, and no history has it.
 *
 * @param url the URL of the page, also for a data request (`request.url` then ends with `.data`)
 */
export async function loadToolPage(ctx: Context, url: URL, slug: string) {
  try {
    const { pathname, searchParams: query } = url;
    const isOtherPath = slug === HUMANIZER_SLUG && pathname !== pagePath(slug);
    if (isOtherPath || query.has("accessCode") || query.has("sessionCode")) {
      throw await redirectWithoutCodes(ctx, query, { slug, path: isOtherPath ? pagePath(slug) : pathname });
    }
    const page = await getToolPage(ctx, { slug, sayStep: t });
    const status = page.access === "granted" ? 200 : 403;
    const selectedServerId = query.get("server");
    const userAgent = ctx.browser?.headers.get("user-agent") ?? null;
    const props = {
      page,
      slug,
      selectedServerId,
      isHandheld: isHandheld(userAgent),
      hasCodeOfOtherTool: query.get("code") === OF_OTHER_TOOL,
      extensionId: extensionIdOf(ctx.store.origin),
      now: ctx.clock.now(),
    };
    return data(props, { status, headers: PRIVATE });
  } catch (error) {
    if (isDomainError(error, "unauthenticated")) throw await redirectVisitor(ctx, url.pathname, PRIVATE);
    if (!isDomainError(error)) throw error;
    // The only input is the slug: a slug that no tool can have belongs to an unknown tool.
    const refusal = isDomainError(error, "invalid-input") ? new DomainError("not-found") : error;
    const { status, message } = toErrorMessage(refusal);
    throw data(message, { status, headers: PRIVATE });
  }
}

/** Sends the loader's headers with the page, also when the loader refused. */
export const toolPageHeaders: HeadersFunction = ({ loaderHeaders, errorHeaders }) =>
  errorHeaders ?? loaderHeaders;

async function redirectWithoutCodes(
  ctx: Context,
  query: URLSearchParams,
  { slug, path }: { slug: string; path: string },
): Promise<Response> {
  const codes = { accessCode: query.get("accessCode"), sessionCode: query.get("sessionCode") };
  const found = await findServerOfCodes(ctx, { page: slug, ...codes });
  const server = found?.serverId ?? query.get("server");
  const search = new URLSearchParams({
    ...(server !== null && { server }),
    ...(found?.isOfOtherTool && { code: OF_OTHER_TOOL }),
  });
  return redirect(`${path}${search.size > 0 ? `?${search}` : ""}`, { headers: PRIVATE });
}

/** null also for codes that cannot be stored, and when the page is refused: it opens without codes, and then says why. */
async function findServerOfCodes(
  ctx: Context,
  input: Parameters<typeof findServerByCode>[1],
): Promise<FoundByCode | null> {
  try {
    return await findServerByCode(ctx, input);
  } catch (error) {
    if (isDomainError(error) && error.code !== "unauthenticated") return null;
    throw error;
  }
}

/** The HTTP status and the message for a refused request of a tool page. The humanizer's also names the support. */
export function toToolPageError(error: unknown, slug: string): { status: number; message: string } {
  const { status, message } = toErrorMessage(error);
  const asksSupport = slug === HUMANIZER_SLUG && isDomainError(error, "access-code-not-found");
  return {
    status,
    message: asksSupport ? t("{refusal}. Please contact support.", { refusal: message }) : message,
  };
}

const NO_STORE = { "Cache-Control": "no-store" };

/** What an action of a route below `tools/:slug` gets. */
interface ToolRequest {
  request: Request;
  params: { slug: string };
  context: { get(key: typeof shopContext): Context };
}

/**
 * Runs an operation of a tool page with the fields of the request's body. Responds with `{ ok: true, ...result }` or `{ ok:
 * false, code, message }`, which no cache stores.
 *
 * @param failure what the log says about an error that is not a refusal
 */
export async function answerToolRequest(
  { request, params: { slug }, context }: ToolRequest,
  failure: string,
  run: (ctx: Context, input: UntrustedInput) => Promise<object>,
): Promise<Response> {
  const ctx = context.get(shopContext);
  const body = await readBody(request);
  try {
    const result = await run(ctx, { ...body, page: slug });
    return Response.json({ ok: true, ...result }, { headers: NO_STORE });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, failure);
    const { status, message } = toToolPageError(error, slug);
    const headers = { ...NO_STORE, ...retryHeaders(error) };
    return Response.json({ ok: false, code: toErrorCode(error, "failed"), message }, { status, headers });
  }
}
