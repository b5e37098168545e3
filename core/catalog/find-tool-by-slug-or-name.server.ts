import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { type PublicTool, selectToolOnSaleBySlugOrName } from "./queries.server.ts";

/**
 * The tool on sale that somebody means by its slug, in letters of any case, or by its name. Open to all.
 *
 * @throws DomainError 'tool-not-found'
 */
export async function findToolBySlugOrName(ctx: Context, wanted: string): Promise<PublicTool> {
  const tool = await selectToolOnSaleBySlugOrName(ctx.db, wanted);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}
