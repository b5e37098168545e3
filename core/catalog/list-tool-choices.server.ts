import { asc, isNull, sql } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { OFFERED_PRICE } from "./offered-price.server.ts";

/** A tool that an admin can choose in a filter or a form. */
export interface ToolChoice {
  id: string;
  slug: string;
  name: string;
  description: string;
  badge: string | null;
  pricePaise: number;
  availableStock: number;
  isActive: boolean;
  serverNames: string[];
}

/**
 * All tools that are not deleted, by name.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listToolChoices(ctx: Context): Promise<ToolChoice[]> {
  requireAdmin(ctx, "reads");
  const rows = await ctx.db
    .select({
      id: tools.id,
      slug: tools.slug,
      name: tools.name,
      description: tools.description,
      badge: tools.badge,
      pricePaise: OFFERED_PRICE,
      availableStock: tools.availableStock,
      isActive: tools.isActive,
      servers: tools.servers,
    })
    .from(tools)
    .where(isNull(tools.deletedAt))
    .orderBy(asc(sql`lower(${tools.name})`), asc(tools.id));
  return rows.map(({ servers, ...tool }) => ({ ...tool, serverNames: servers.map(({ name }) => name) }));
}
