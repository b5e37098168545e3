import {
  and,
  desc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  max,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { IS_ON_SALE, OFFERED_PRICE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { isActivePass } from "../pass-validity.server.ts";

const PAGE_TOOL = {
  id: tools.id,
  slug: tools.slug,
  name: tools.name,
  description: tools.description,
  pricePaise: OFFERED_PRICE,
  servers: tools.servers,
  howToUse: tools.howToUse,
  worksOn: tools.worksOn,
  launchUrl: tools.launchUrl,
  credentialService: tools.credentialService,
  credentialId: tools.credentialId,
  onSale: sql<boolean>`(${IS_ON_SALE})`,
};

/** The tool of a page, on sale or not. */
export async function findPageTool(executor: Executor, slug: string) {
  const [tool] = await executor.select(PAGE_TOOL).from(tools).where(eq(tools.slug, slug));
  return tool ?? null;
}

/** The tools of several pages, on sale or not, each with the latest end of the user's active passes that open its page. */
export function selectPageTools(
  ctx: Context,
  executor: Executor,
  { userId, toolIds }: { userId: string; toolIds: string[] },
) {
  const passEnd = selectPassEnd(executor, { userId, tool: tools, passes: isActivePass(ctx) });
  return executor
    .select({
      ...PAGE_TOOL,
      passExpiresAt: sql<Date | null>`(${passEnd})`.mapWith(userPurchases.expiresAt),
    })
    .from(tools)
    .where(inArray(tools.id, toolIds));
}

/** Whether the account is neither disabled nor deleted. The session of the request may be older than that change. */
export async function isUserActive(executor: Executor, userId: string): Promise<boolean> {
  const isActive = and(eq(users.id, userId), eq(users.isActive, true), isNull(users.deletedAt));
  return (await executor.$count(users, isActive)) > 0;
}

/** The latest end of those passes that open the page of the tool; null without one. */
export async function findLatestPassEnd(executor: Executor, filter: PassFilter): Promise<Date | null> {
  const [found] = await selectPassEnd(executor, filter);
  return found?.expiresAt ?? null;
}

/** The start of the pass that ends last, of those that open the page of the tool; null without one. */
export async function selectLastPass(
  executor: Executor,
  filter: PassFilter,
): Promise<{ startsAt: Date | null; orderNumber: string } | null> {
  const [found] = await executor
    .select({ startsAt: userPurchases.startsAt, orderNumber: userPurchases.orderNumber })
    .from(userPurchases)
    .where(opensPage(executor, filter))
    .orderBy(desc(userPurchases.expiresAt))
    .limit(1);
  return found ?? null;
}

/** Among those passes that open the page of the tool, the one that ended last; null without one. */
export async function findLastEndedPass(
  executor: Executor,
  filter: PassFilter,
): Promise<{ purchaseId: string; endedAt: Date } | null> {
  const [found] = await executor
    .select({ purchaseId: userPurchases.id, endedAt: userPurchases.endedAt })
    .from(userPurchases)
    .where(opensPage(executor, filter))
    .orderBy(desc(userPurchases.endedAt), desc(userPurchases.id))
    .limit(1);
  return found?.endedAt ? { purchaseId: found.purchaseId, endedAt: found.endedAt } : null;
}

/** When those passes that open the page of the tool begin and end, in the order of their start. */
export function selectPassTimes(executor: Executor, filter: PassFilter) {
  return executor
    .select({ startsAt: userPurchases.startsAt, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .where(opensPage(executor, filter))
    .orderBy(userPurchases.startsAt)
    .limit(PASSES_OF_A_PAGE);
}

/** Few tools open a page, each with an active pass and a renewal in both modes, and what an import may have left. */
const PASSES_OF_A_PAGE = 100;

/** Those of this user's passes that open the page of the tool: those of the tool itself first, then the latest end. */
export function selectOpeningPasses(executor: Executor, filter: PassFilter) {
  return executor
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(opensPage(executor, filter))
    .orderBy(sql`${userPurchases.toolId} is distinct from ${filter.tool.id}`, desc(userPurchases.expiresAt));
}

/** A pass opens the page of its own tool, and every page with a grant for its tool or for the name of its tool. */
function opensPage(executor: Executor, { userId, tool, passes }: PassFilter): SQL | undefined {
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
  const ofUser = userId === null ? undefined : eq(userPurchases.userId, userId);
  return and(ofUser, passes, or(eq(userPurchases.toolId, tool.id), hasGrant));
}

function selectPassEnd(executor: Executor, filter: PassFilter) {
  return executor
    .select({ expiresAt: max(userPurchases.expiresAt) })
    .from(userPurchases)
    .where(opensPage(executor, filter));
}

interface PassFilter {
  /** null: the passes of all users. */
  userId: string | null;
  /** The values of one tool, or the columns of a query around this one. */
  tool: { id: string | SQLWrapper; slug: string | SQLWrapper };
  /** Which passes: a condition of pass-validity.server.ts. */
  passes: SQL | undefined;
}
