import { z } from "zod";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { checkPageAccess } from "../entitlements/check-page-access.server.ts";
import { parseInput } from "../parse.ts";
import { findServerByName, findServerNameByHash } from "./queries.server.ts";

const inputSchema = z.object({ page: z.string().min(1).max(80), codes: z.array(z.string().max(500)).max(4) });

/**
 * The id of the server that one of these codes (simple or session) belongs to. Null for unknown codes and for an actor
 * who may not use the page: a code never opens a page.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found'
 */
export async function findServerByCode(
  ctx: Context,
  input: { page: string; codes: string[] },
): Promise<string | null> {
  requireSignedIn(ctx);
  const { page, codes } = parseInput(inputSchema, input);
  const checked = await checkPageAccess(ctx, ctx.db, page);
  if (checked.access === "required" || codes.length === 0) return null;
  const hashes = codes.map((code) => ctx.ports.cipher.lookupHash(code));
  const name = await findServerNameByHash(ctx.db, checked.tool.id, hashes);
  return name === null ? null : (findServerByName(checked.tool.servers, name)?.id ?? null);
}
