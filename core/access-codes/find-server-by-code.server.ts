import { z } from "zod";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { checkPageAccess, listPassesOfPage } from "../passes/access.server.ts";
import { isDomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { findServerByName, findServerNameByHash, isActiveCodeOfAnyTool } from "./queries.server.ts";

/** A longer code is not one of the shop's, so it is compared like any other that does not exist. */
const code = z
  .string()
  .nullable()
  .transform((text) => text || null);

const inputSchema = z.object({ page: z.string().min(1).max(80), accessCode: code, sessionCode: code });

/** What the codes of a link are. */
export interface FoundByCode {
  /** null: of no server of the page. */
  serverId: string | null;
  isOfOtherTool: boolean;
}

const NOTHING: FoundByCode = { serverId: null, isOfOtherTool: false };

/**
 * The id of the server that an access code belongs to, found by its simple code, its session code, or both: then they must
 * be those of one row; or whether they are those of another tool. A code for one buyer is found only by its own buyer and by
 * an admin, so that nobody can confirm a guess. Nothing for other codes and for an actor who may not use
 * the page: a code never opens a page. Guesses at the codes of other tools count as reveals: over the limit, nothing is
 * said about them.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found'
 */
export async function findServerByCode(
  ctx: Context,
  input: { page: string; accessCode: string | null; sessionCode: string | null },
): Promise<FoundByCode> {
  const { userId, kind } = requireSignedIn(ctx, "reads");
  const { page, accessCode, sessionCode } = parseInput(inputSchema, input);
  const checked = await checkPageAccess(ctx, ctx.db, page);
  if (checked.access === "required") return NOTHING;
  const hashOf = (text: string | null) => (text === null ? null : ctx.ports.cipher.lookupHash(text));
  const hashes = { simple: hashOf(accessCode), session: hashOf(sessionCode) };
  const passIds = await listPassesOfPage(ctx, ctx.db, { userId, tool: checked.tool });
  const holder = kind === "admin" ? "anybody" : passIds;
  const name = await findServerNameByHash(ctx.db, checked.tool.id, { ...hashes, holder });
  if (name !== null)
    return { ...NOTHING, serverId: findServerByName(checked.tool.servers, name)?.id ?? null };
  try {
    await ctx.ports.rateLimiter.consume("reveal-account", userId);
  } catch (error) {
    if (isDomainError(error, "reveals-too-fast")) return NOTHING;
    throw error;
  }
  return { ...NOTHING, isOfOtherTool: await isActiveCodeOfAnyTool(ctx.db, hashes) };
}
