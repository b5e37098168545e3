import { and, eq, exists, isNotNull, isNull, max, or, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { isActivePassAt } from "./pass-validity.server.ts";

/** The tool whose page this is, whether or not it is still sold. */
export async function findPageTool(executor: Executor, slug: string) {
  const [tool] = await executor
    .select({
      id: tools.id,
      slug: tools.slug,
      name: tools.name,
      description: tools.description,
      pricePaise: tools.pricePaise,
      servers: tools.servers,
      isActive: tools.isActive,
      deletedAt: tools.deletedAt,
    })
    .from(tools)
    .where(eq(tools.slug, slug));
  return tool ?? null;
}

/** Whether the account may act at all at this moment; a session may outlive it by a request. */
export async function isUserActive(executor: Executor, userId: string): Promise<boolean> {
  const isThere = and(eq(users.id, userId), eq(users.isActive, true), isNull(users.deletedAt));
  return (await executor.$count(users, isThere)) > 0;
}

/**
 * When the last running pass of this user that opens the page ends; null when none does. A pass opens the page of its
 * own tool, and every page that names its tool or the name it was bought under.
 */
export async function findPassEnd(
  executor: Executor,
  { userId, tool, now, acceptsTestPasses }: PassQuestion,
): Promise<Date | null> {
  const openedByRow = exists(
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
    .select({ endsAt: max(userPurchases.expiresAt) })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, userId),
        isActivePassAt(now),
        acceptsTestPasses ? undefined : eq(userPurchases.testMode, false),
        or(eq(userPurchases.toolId, tool.id), openedByRow),
      ),
    );
  return found?.endsAt ?? null;
}

interface PassQuestion {
  userId: string;
  tool: { id: string; slug: string };
  now: Date;
  /** False: passes paid with a test gateway open nothing. */
  acceptsTestPasses: boolean;
}
