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
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { IS_ON_SALE, OFFERED_PRICE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { isActivePass, isExpiredPass, isRevokedPass, isRunningPass } from "../pass-validity.server.ts";

const PAGE_TOOL = {
  id: tools.id,
  slug: tools.slug,
  name: tools.name,
  description: tools.description,
  pricePaise: OFFERED_PRICE,
  servers: tools.servers,
  howToUse: tools.howToUse,
  translations: tools.translations,
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

/** A pass of a user that opens a page, or did. */
export interface PagePass
  extends Pick<Purchase, "id" | "orderNumber" | "status" | "startsAt" | "expiresAt" | "endedAt"> {}

/**
 * The user's passes that open the page of the tool: active, waiting, expired, and revoked before they expired. The latest end
 * comes first, so no active or waiting pass is left out.
 */
export function selectPassesOfPage(
  ctx: Context,
  executor: Executor,
  by: { userId: string; tool: { id: string; slug: string } },
): Promise<PagePass[]> {
  const { id, orderNumber, status, startsAt, expiresAt, endedAt } = userPurchases;
  return executor
    .select({ id, orderNumber, status, startsAt, expiresAt, endedAt })
    .from(userPurchases)
    .where(
      opensPage(executor, { ...by, passes: or(isRunningPass(ctx), isExpiredPass(ctx), isRevokedPass(ctx)) }),
    )
    .orderBy(desc(sql`coalesce(${endedAt}, ${expiresAt})`), desc(id))
    .limit(PASSES_OF_A_PAGE);
}

/**
 * Few tools open a page, each with an active pass and a renewal in both modes. The rest are ended ones, of which the last
 * matters.
 */
const PASSES_OF_A_PAGE = 100;

/** This user's passes that open the page of the tool: passes of the tool itself first, then by the latest end. */
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
