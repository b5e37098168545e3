import { redirect } from "react-router";
import { z } from "zod";
import { revealAccessCodeToAdmin } from "#core/access-codes/reveal-access-code-to-admin.server.ts";
import { requireAdmin } from "#core/authorise.ts";
import { isDomainError } from "#core/errors.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";
import { pagePath } from "../../tools/page-path.ts";
import type { Route } from "./+types/open-connection";

const NO_STORE = { "Cache-Control": "no-store" };

const slugSchema = z.string().regex(/^[a-z0-9-]{1,100}$/);

/**
 * POST { id, slug }: redirects to the page of the tool `slug` with both codes of the access code `id` in the query. The
 * form opens a new tab, so a refusal redirects to the list of access codes, which shows what the actor may see.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  try {
    // The operation authorises too. Nobody else's form is read.
    requireAdmin(ctx);
    const body = await readBody(request);
    const slug = slugSchema.safeParse(body.slug);
    if (slug.success) {
      const { simpleCode, sessionCode } = await revealAccessCodeToAdmin(ctx, { id: body.id });
      const codes = new URLSearchParams({ accessCode: simpleCode, sessionCode });
      return redirect(`${pagePath(slug.data)}?${codes}`, { status: 303, headers: NO_STORE });
    }
  } catch (error) {
    if (!isDomainError(error)) throw error;
  }
  return redirect("/admin/access-codes", { status: 303, headers: NO_STORE });
}
