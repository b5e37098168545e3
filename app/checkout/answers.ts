import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import { wordsFor } from "../middleware/error-words.ts";

const NO_STORE = { "cache-control": "no-store" };

/** Answers `{ ok: true, … }` with what `work` brings, or its refusal as `{ ok: false, code, message }`. Never cached. */
export async function answerWith(ctx: Context, work: () => Promise<object>): Promise<Response> {
  try {
    return Response.json({ ok: true, ...(await work()) }, { headers: NO_STORE });
  } catch (error) {
    const refused = isDomainError(error);
    if (!refused) ctx.log.error({ err: error }, "a checkout request failed");
    const { status, message, fields } = wordsFor(error);
    const code = refused ? error.code : "failed";
    return Response.json({ ok: false, code, message, fields }, { status, headers: NO_STORE });
  }
}

/** For addresses that answer one method only. */
export function methodNotAllowed(allowed: "GET" | "POST"): Response {
  return Response.json(
    { ok: false, code: "method-not-allowed", message: `Only ${allowed} is answered here.` },
    { status: 405, headers: { ...NO_STORE, allow: allowed } },
  );
}
