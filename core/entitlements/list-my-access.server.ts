import { and, eq } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { isActivePass } from "../pass-validity.server.ts";

/** Until when the signed-in user may open each tool, by its slug (UTC). @throws DomainError 'unauthenticated' */
export async function listMyAccess(ctx: Context): Promise<Map<string, Date>> {
  const { userId } = requireSignedIn(ctx, "reads");
  // At most one row of each tool: the passes of a user for a tool do not overlap.
  const rows = await ctx.db
    .select({ slug: tools.slug, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .innerJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(and(eq(userPurchases.userId, userId), isActivePass(ctx)));
  return new Map(rows.flatMap(({ slug, expiresAt }) => (expiresAt === null ? [] : [[slug, expiresAt]])));
}
