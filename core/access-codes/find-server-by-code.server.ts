import { z } from "zod";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { checkPageAccess } from "../entitlements/check-page-access.server.ts";
import { parseInput } from "../parse.ts";
import { findServerByName, findServerNameByHash } from "./queries.server.ts";

/** A longer code is not one of the shop's, so it is compared like any other that does not exist. */
const code = z
  .string()
  .nullable()
  .transform((text) => text || null);

const inputSchema = z.object({ page: z.string().min(1).max(80), accessCode: code, sessionCode: code });

/**
 * The id of the server that an access code belongs to, found by its simple code, its session code, or both: then they must
 * be those of one row. Null for other codes and for an actor who may not use the page: a code never opens a page.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found'
 */
export async function findServerByCode(
  ctx: Context,
  input: { page: string; accessCode: string | null; sessionCode: string | null },
): Promise<string | null> {
  requireSignedIn(ctx);
  const { page, accessCode, sessionCode } = parseInput(inputSchema, input);
  const checked = await checkPageAccess(ctx, ctx.db, page);
  if (checked.access === "required") return null;
  const hashOf = (text: string | null) => (text === null ? null : ctx.ports.cipher.lookupHash(text));
  const hashes = { simple: hashOf(accessCode), session: hashOf(sessionCode) };
  const name = await findServerNameByHash(ctx.db, checked.tool.id, hashes);
  return name === null ? null : (findServerByName(checked.tool.servers, name)?.id ?? null);
}
