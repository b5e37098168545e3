import type { ActionFunctionArgs } from "react-router";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { Unparsed } from "#core/parse.ts";
import { codeFor, retryHeaders, toErrorMessage } from "../../middleware/error-messages.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";

const NO_STORE = { "cache-control": "no-store" };

/** Answers `{ ok: true, … }` with what `work` brings, or its refusal as `{ ok: false, code, message }`. Never cached. */
export async function answerWith(ctx: Context, work: () => Promise<object>): Promise<Response> {
  try {
    return Response.json({ ok: true, ...(await work()) }, { headers: NO_STORE });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, "a checkout request failed");
    const { status, message, fields } = toErrorMessage(error);
    const code = codeFor(error, "failed");
    const headers = { ...NO_STORE, ...retryHeaders(error) };
    return Response.json({ ok: false, code, message, fields }, { status, headers });
  }
}

type PostArgs = Pick<ActionFunctionArgs, "request" | "context">;

/** The action of an address that is posted to: one verb, given the fields that were sent. */
export function answerPostWith(verb: (ctx: Context, input: Unparsed) => Promise<object>) {
  return async ({ request, context }: PostArgs): Promise<Response> => {
    if (request.method !== "POST") return methodNotAllowed("POST");
    const ctx = context.get(shopContext);
    return answerWith(ctx, async () => verb(ctx, await readBody(request)));
  };
}

/** For addresses that answer one method only. */
export function methodNotAllowed(allowed: "GET" | "POST"): Response {
  return Response.json(
    { ok: false, code: "method-not-allowed", message: `Only ${allowed} is answered here.` },
    { status: 405, headers: { ...NO_STORE, allow: allowed } },
  );
}
