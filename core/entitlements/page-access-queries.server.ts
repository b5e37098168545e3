import { and, eq, exists, isNotNull, isNull, max, or, type SQL, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";

/** The tool of a page, on sale or not. */
export async function findPageTool(executor: Executor, slug: string) {
  const [tool] = await executor
    .select({
      id: tools.id,
      slug: tools.slug,
      name: tools.name,
      description: tools.description,
      pricePaise: tools.pricePaise,
      servers: tools.servers,
      howToUse: tools.howToUse,
      launchUrl: tools.launchUrl,
      credentialService: tools.credentialService,
      isActive: tools.isActive,
      deletedAt: tools.deletedAt,
    })
    .from(tools)
    .where(eq(tools.slug, slug));
  return tool ?? null;
}

/** Whether the account is neither disabled nor deleted. The session of the request may be older than that change. */
export async function isUserActive(executor: Executor, userId: string): Promise<boolean> {
  const isActive = and(eq(users.id, userId), eq(users.isActive, true), isNull(users.deletedAt));
  return (await executor.$count(users, isActive)) > 0;
}

/**
 * The latest end of those of this user's passes that open the page; null without one. A pass opens the page of its own
 * tool, and every page with a grant for its tool or for the name of its tool.
 */
export async function findLatestPassEnd(
  executor: Executor,
  { userId, tool, passes }: PassFilter,
): Promise<Date | null> {
  const hasGrant = exists(
    executor
      .select({ one: sql`1` })
      .from(toolPageGrants)
      .where(
        and(
          eq(toolPageGrants.page, tool.slug),
          or(
            eq(toolPageGrants.toolId, userPurchases.toolId),
            and(
              isNotNull(toolPageGrants.toolName),
              eq(sql`lower(${toolPageGrants.toolName})`, sql`lower(${userPurchases.toolName})`),
            ),
          ),
        ),
      ),
  );
  const [found] = await executor
    .select({ expiresAt: max(userPurchases.expiresAt) })
    .from(userPurchases)
    .where(and(eq(userPurchases.userId, userId), passes, or(eq(userPurchases.toolId, tool.id), hasGrant)));
  return found?.expiresAt ?? null;
}

interface PassFilter {
  userId: string;
  tool: { id: string; slug: string };
  /** Which passes: a condition of pass-validity.server.ts. */
  passes: SQL | undefined;
}
