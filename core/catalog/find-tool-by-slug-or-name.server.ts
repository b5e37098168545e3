import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { type PublicTool, selectToolOnSaleBySlugOrName } from "./queries.server.ts";

/**
 * The tool on sale with this slug or, if there is none, with this name. Case is ignored. Open to all.
 *
 * @throws DomainError 'tool-not-found'
 */
export async function findToolBySlugOrName(ctx: Context, slugOrName: string): Promise<PublicTool> {
  const tool = await selectToolOnSaleBySlugOrName(ctx.db, slugOrName);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}
