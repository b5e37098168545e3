import { redirect } from "react-router";
import { z } from "zod";
import { revealAccessCodeToAdmin } from "#core/access-codes/manage-access-codes.server.ts";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import { isDomainError } from "#core/errors.ts";
import { parseInput } from "#core/parse.ts";
import { methodNotAllowed } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import { pagePath } from "../../tools/page-path.ts";
import type { Route } from "./+types/open-connection";

const NO_STORE = { "Cache-Control": "no-store" };

const bodySchema = z.object({
  id: z.string().max(100),
  slug: z.string().regex(/^[a-z0-9-]{1,100}$/),
});

/**
 * POST { id, slug }: redirects to the page of the tool `slug` with both codes of the access code `id` in the query. The
 * form opens a new tab, so a refusal redirects to the list of access codes, which tells the reason and asks for the
 * password when it is needed.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  try {
    // The operation authorises too. Nobody else's form is read.
    await requireAdminRequest(ctx);
  } catch (error) {
    return refuse(error, {});
  }
  let shown = {};
  try {
    const { id, slug } = parseInput(bodySchema, await readBody(request));
    shown = { id, slug };
    const { simpleCode, sessionCode } = await revealAccessCodeToAdmin(ctx, { id });
    const codes = new URLSearchParams({ accessCode: simpleCode, sessionCode });
    return redirect(`${pagePath(slug)}?${codes}`, { status: 303, headers: NO_STORE });
  } catch (error) {
    return refuse(error, shown);
  }
}

export function loader(): Response {
  return methodNotAllowed("POST");
}

/** The list asks for the password and repeats the request with `retry`. */
function refuse(error: unknown, retry: Record<string, string>): Response {
  if (!isDomainError(error)) throw error;
  const isPasswordNeeded = error.code === "password-needed";
  const reason = new URLSearchParams({ connection: error.code, ...(isPasswordNeeded && retry) });
  return redirect(`/admin/access-codes?${reason}`, { status: 303, headers: NO_STORE });
}
