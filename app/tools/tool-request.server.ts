import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { retryHeaders, toErrorCode } from "../middleware/error-messages.ts";
import { readBody } from "../middleware/read-body.ts";
import { shopContext } from "../middleware/request-context.ts";
import { toToolPageError } from "./load-tool-page.server.ts";

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
