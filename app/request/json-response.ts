import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import { retryHeaders, toErrorCode, toErrorMessage } from "../errors/error-messages.ts";

const NO_STORE = { "cache-control": "no-store" };

/**
 * Responds with `{ ok: true, ...result }` of the operation, or with `{ ok: false, code, message, fields }`. Never
 * cached. A response of the operation itself is sent as it is.
 */
export async function respondWith(ctx: Context, operation: () => Promise<object>): Promise<Response> {
  try {
    const result = await operation();
    if (result instanceof Response) return result;
    return Response.json({ ok: true, ...result }, { headers: NO_STORE });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, "request failed");
    const { status, message, fields } = toErrorMessage(error);
    const code = toErrorCode(error, "failed");
    const headers = { ...NO_STORE, ...retryHeaders(error) };
    return Response.json({ ok: false, code, message, fields }, { status, headers });
  }
}

/** The 405 response of an endpoint that accepts one method only. */
export function methodNotAllowed(allowed: "GET" | "POST"): Response {
  return Response.json(
    { ok: false, code: "method-not-allowed", message: `Only ${allowed} is answered here.` },
    { status: 405, headers: { ...NO_STORE, allow: allowed } },
  );
}
