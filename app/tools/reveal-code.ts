import { revealAccessCode } from "#core/access-codes/reveal-access-code.server.ts";
import { isDomainError } from "#core/errors.ts";
import { retryHeaders, toErrorCode } from "../middleware/error-messages.ts";
import { readBody } from "../middleware/read-body.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/reveal-code";
import { toAccessCodeError } from "./load-tool-page.server.ts";

const NO_STORE = { "Cache-Control": "no-store" };

/**
 * POST { serverId }: reveals the access code of one server as `{ ok: true, simpleCode }` or `{ ok: false, code, message
 * }`.
 */
export async function action({ request, params, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const { serverId } = await readBody(request);
  try {
    const { simpleCode } = await revealAccessCode(ctx, {
      page: params.slug,
      serverId: typeof serverId === "string" ? serverId : "",
    });
    return Response.json({ ok: true, simpleCode }, { headers: NO_STORE });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, "revealing an access code failed");
    const { status, message } = toAccessCodeError(error, params.slug);
    const headers = { ...NO_STORE, ...retryHeaders(error) };
    return Response.json({ ok: false, code: toErrorCode(error, "failed"), message }, { status, headers });
  }
}
