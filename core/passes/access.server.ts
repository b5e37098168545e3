import { and, asc, desc, eq } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { type ToolServer, tools, type WorksOn } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn, type SignedInActor } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { isActivePass, isExpiredPass, isRevokedPass, isRunningPass } from "../pass-validity.server.ts";
import {
  findLastEndedPass,
  findLatestPassEnd,
  findPageTool,
  isUserActive,
  selectLastPass,
  selectOpeningPasses,
  selectPageTools,
  selectPassTimes,
} from "./access-queries.server.ts";

export interface PageTool {
  id: string;
  slug: string;
  name: string;
  description: string;
  servers: ToolServer[];
  howToUse: string[];
  worksOn: WorksOn[];
  launchUrl: string | null;
  /** The service whose shared credentials the page offers. */
  credentialService: string | null;
  /** The credential that it offers before all others of the service. */
  credentialId: string | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
}

/** `expiresAt` is null for access without an end: free tools and admins. */
type PageAccess = { access: "granted"; expiresAt: Date | null } | { access: "required" };

/**
 * Whether the actor may use the tool page `slug` now.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', or 'not-found' when no tool has this slug
 */
export async function checkPageAccess(
  ctx: Context,
  executor: Executor,
  slug: string,
): Promise<{ tool: PageTool } & PageAccess> {
  const actor = requireSignedIn(ctx, "reads");
  if (!(await isUserActive(executor, actor.userId))) throw new DomainError("user-disabled");
  const found = await findPageTool(executor, slug);
  if (found === null) throw new DomainError("not-found");
  const passExpiresAt = await findLatestPassEnd(executor, {
    userId: actor.userId,
    tool: found,
    passes: isActivePass(ctx),
  });
  return decide(actor, { ...found, passExpiresAt });
}

/** Whether anybody has a pass that opens the page of the tool now. The caller authorises. */
export async function isPageInUse(
  ctx: Context,
  executor: Executor,
  tool: { id: string; slug: string },
): Promise<boolean> {
  return (await findLatestPassEnd(executor, { userId: null, tool, passes: isActivePass(ctx) })) !== null;
}

/**
 * `checkPageAccess` for several tools in one query, by the id of the tool. The caller has checked that the account is
 * active.
 *
 * @throws DomainError 'unauthenticated'
 */
export async function checkPagesAccess(
  ctx: Context,
  executor: Executor,
  toolIds: string[],
): Promise<Map<string, { tool: PageTool } & PageAccess>> {
  const actor = requireSignedIn(ctx, "reads");
  const found = await selectPageTools(ctx, executor, { userId: actor.userId, toolIds });
  return new Map(found.map((page) => [page.id, decide(actor, page)]));
}

type FoundPage = PageTool & {
  pricePaise: number;
  passExpiresAt: Date | null;
};

function decide(actor: SignedInActor, found: FoundPage): { tool: PageTool } & PageAccess {
  const { pricePaise, passExpiresAt, ...tool } = found;
  const decision = decidePageAccess({
    isAdmin: actor.kind === "admin",
    toolIsFree: pricePaise === 0,
    toolIsInCatalogue: tool.onSale,
    passExpiresAt,
  });
  return { tool, ...decision };
}

/** What decides whether a signed-in account may use a tool page. */
export interface PageAccessFacts {
  isAdmin: boolean;
  toolIsFree: boolean;
  toolIsInCatalogue: boolean;
  /** The latest end of the active passes that open the page; null without one. */
  passExpiresAt: Date | null;
}

/** Admins may use every page; every account the page of a free tool in the catalogue; others need an active pass. */
export function decidePageAccess(facts: PageAccessFacts): PageAccess {
  const needsNoPass = facts.isAdmin || (facts.toolIsFree && facts.toolIsInCatalogue);
  if (needsNoPass) return { access: "granted", expiresAt: null };
  if (facts.passExpiresAt !== null) return { access: "granted", expiresAt: facts.passExpiresAt };
  return { access: "required" };
}

/** When the last pass of this user for the page of `tool` expired; null without one. The caller authorises. */
export function findExpiredPassEnd(
  ctx: Context,
  executor: Executor,
  { userId, tool }: { userId: string; tool: PageTool },
): Promise<Date | null> {
  return findLatestPassEnd(executor, { userId, tool, passes: isExpiredPass(ctx) });
}

/**
 * The last pass of this user for the page of `tool` that was cancelled or refunded before it expired; null without one. The
 * caller authorises.
 */
export function findRevokedPass(
  ctx: Context,
  executor: Executor,
  { userId, tool }: { userId: string; tool: PageTool },
): Promise<{ purchaseId: string; endedAt: Date } | null> {
  return findLastEndedPass(executor, { userId, tool, passes: isRevokedPass(ctx) });
}

/** The user's active pass that ends last, for the page of `tool`; null without one. The caller authorises. */
export function findLastPass(
  ctx: Context,
  executor: Executor,
  by: { userId: string; tool: PageTool },
): Promise<{ startsAt: Date | null; orderNumber: string } | null> {
  return selectLastPass(executor, { ...by, passes: isActivePass(ctx) });
}

/**
 * Until when passes that wait keep the page of `tool` open after `expiresAt`, the end of the active ones, without a gap; null
 * without one. The caller authorises.
 */
export async function findRenewedUntil(
  ctx: Context,
  executor: Executor,
  { expiresAt, ...by }: { userId: string; tool: PageTool; expiresAt: Date },
): Promise<Date | null> {
  const passes = await selectPassTimes(executor, { ...by, passes: isRunningPass(ctx) });
  let end = expiresAt;
  for (const pass of passes) {
    if (pass.startsAt === null || pass.expiresAt === null || pass.startsAt > end) continue;
    if (pass.expiresAt > end) end = pass.expiresAt;
  }
  return end > expiresAt ? end : null;
}

/**
 * Locks the user's active passes that open the page of `tool`, so that none ends meanwhile. Passes for the tool itself
 * come first. Empty when the access needs no pass. The caller authorises.
 */
export async function lockPassesOfPage(
  ctx: Context,
  tx: Transaction,
  by: { userId: string; tool: PageTool },
): Promise<string[]> {
  const found = await selectOpeningPasses(tx, { ...by, passes: isActivePass(ctx) }).for("update");
  return found.map(({ id }) => id);
}

/** The same passes, without a lock. */
export async function listPassesOfPage(
  ctx: Context,
  executor: Executor,
  by: { userId: string; tool: PageTool },
): Promise<string[]> {
  const found = await selectOpeningPasses(executor, { ...by, passes: isActivePass(ctx) });
  return found.map(({ id }) => id);
}

/** Like `checkPageAccess`, but refuses an actor without access. @throws also DomainError 'access-required' */
export async function requirePageAccess(
  ctx: Context,
  executor: Executor,
  slug: string,
): Promise<{ tool: PageTool; expiresAt: Date | null }> {
  const checked = await checkPageAccess(ctx, executor, slug);
  if (checked.access === "required") throw new DomainError("access-required", { tool: checked.tool.name });
  return { tool: checked.tool, expiresAt: checked.expiresAt };
}

/** The user's active pass for a tool, the one that expires last; null when there is none. The caller authorises. */
export async function findActivePass(
  ctx: Context,
  executor: Executor,
  input: { userId: string; toolId: string },
): Promise<{ purchaseId: string; expiresAt: Date } | null> {
  const [pass] = await executor
    .select({ purchaseId: userPurchases.id, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .where(
      and(eq(userPurchases.userId, input.userId), eq(userPurchases.toolId, input.toolId), isActivePass(ctx)),
    )
    .orderBy(desc(userPurchases.expiresAt))
    .limit(1);
  return pass?.expiresAt ? { purchaseId: pass.purchaseId, expiresAt: pass.expiresAt } : null;
}

/**
 * The user's active pass for a tool, and the end of the renewal that waits for its end; null when there is none. Where a pass
 * waits and none is active, it is the pass. The caller authorises.
 */
export async function findPassAndRenewal(
  ctx: Context,
  executor: Executor,
  { userId, toolId }: { userId: string; toolId: string },
): Promise<{ expiresAt: Date; renewedUntil: Date | null } | null> {
  const passes = await executor
    .select({ startsAt: userPurchases.startsAt, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .where(and(eq(userPurchases.userId, userId), eq(userPurchases.toolId, toolId), isRunningPass(ctx)))
    .orderBy(asc(userPurchases.startsAt))
    .limit(PASSES_OF_A_TOOL);
  const now = ctx.clock.now();
  const isWaiting = ({ startsAt }: { startsAt: Date | null }) => startsAt !== null && startsAt > now;
  const pass = passes.findLast((one) => !isWaiting(one)) ?? passes[0];
  const last = passes.at(-1);
  if (!pass?.expiresAt) return null;
  return { expiresAt: pass.expiresAt, renewedUntil: last && isWaiting(last) ? last.expiresAt : null };
}

/** The active pass and its renewal, in both modes, and what an import may have left. */
const PASSES_OF_A_TOOL = 20;

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
