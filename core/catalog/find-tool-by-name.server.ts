import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { type ShownTool, selectToolOnSaleByAnyName } from "./queries.server.ts";

/**
 * The tool on sale that somebody means by its slug, in letters of any case, or by its name. Open to all.
 *
 * @throws DomainError 'tool-not-found'
 */
export async function findToolByName(ctx: Context, wanted: string): Promise<ShownTool> {
  const tool = await selectToolOnSaleByAnyName(ctx.db, wanted);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}
