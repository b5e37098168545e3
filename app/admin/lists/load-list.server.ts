import type { RouterContextProvider } from "react-router";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { ListInput } from "#core/paging.ts";
import { shopContext } from "../../middleware/request-context.ts";

/**
 * Loads what a page of the admin shows. Everybody else gets null: the frame shows them the sign-in form instead.
 *
 * @param load gets the parameters of the address; it authorises again
 */
export async function loadForAdmin<Data>(
  { request, context }: { request: Request; context: Readonly<RouterContextProvider> },
  load: (ctx: Context, input: ListInput) => Promise<Data>,
): Promise<Data | null> {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") return null;
  try {
    // A data request may leave the frame out, which records the refusal of a buyer otherwise.
    await requireAdminRequest(ctx);
  } catch (error) {
    if (isDomainError(error, "forbidden")) return null;
    throw error;
  }
  return load(ctx, Object.fromEntries(new URL(request.url).searchParams));
}
