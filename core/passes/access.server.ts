import { and, asc, desc, eq } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import {
  type ToolServer,
  type ToolTexts,
  type Translations,
  tools,
  type WorksOn,
} from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn, type SignedInActor } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { isActivePass, isActivePassRow, isRunningPass } from "../pass-validity.server.ts";
import {
  findPageTool,
  isUserActive,
  type PagePass,
  selectOpeningPasses,
  selectPageTools,
  selectPassesOfPage,
} from "./access-queries.server.ts";

export interface PageTool {
  id: string;
  slug: string;
  name: string;
  description: string;
  servers: ToolServer[];
  howToUse: string[];
  /** The other texts are in English. */
  translations: Translations<ToolTexts>;
  worksOn: WorksOn[];
  launchUrl: string | null;
  /** The service whose shared credentials the page offers. */
  credentialService: string | null;
  /** The credential that it offers before all others of the service. */
  credentialId: string | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
}

/** A pass that opens a page now. */
interface OpeningPass {
  orderNumber: string;
  startsAt: Date;
  expiresAt: Date;
  /** Until when passes that wait keep the page open after `expiresAt` without a gap; null if there is none. */
  renewedUntil: Date | null;
}

/** What an account may do with a tool page now, and what its passes for the page are. */
type PageAccess = GrantedAccess | RequiredAccess;

export interface GrantedAccess {
  access: "granted";
  tool: PageTool;
  /** The pass that ends last; null: access without an end, for free tools and admins. */
  pass: OpeningPass | null;
  /** The active passes. The account may have some for a free tool too, and so may an admin. */
  passIds: string[];
}

export interface RequiredAccess {
  access: "required";
  tool: PageTool;
  /** When the last pass for the page expired; null if there is none. */
  passEndedAt: Date | null;
  /** The last pass that was cancelled or refunded before it expired, if none expired since then; null if there is none. */
  revokedPass: { purchaseId: string; endedAt: Date } | null;
}

/**
 * Whether the actor may use the tool page `slug` now, and the facts about the actor's passes for it.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', or 'not-found' when no tool has this slug
 */
export async function readPageAccess(ctx: Context, executor: Executor, slug: string): Promise<PageAccess> {
  requireSignedIn(ctx, "reads");
  const { actor } = ctx;
  if (!(await isUserActive(executor, actor.userId))) throw new DomainError("user-disabled");
  const found = await findPageTool(executor, slug);
  if (found === null) throw new DomainError("not-found");
  const { pricePaise: _, ...tool } = found;
  const passes = await selectPassesOfPage(ctx, executor, { userId: actor.userId, tool });
  const now = ctx.clock.now();
  const active = passes.filter((pass) => isActivePassRow(pass, now));
  const [last = null] = active;
  const decision = decideFor(actor, { ...found, passExpiresAt: last?.expiresAt ?? null });
  if (decision.access === "required") return { access: "required", tool, ...readEndOf(passes, now) };
  return {
    access: "granted",
    tool,
    pass: decision.expiresAt && last && openingPassOf(last, decision.expiresAt, passes),
    passIds: active.map(({ id }) => id),
  };
}

function openingPassOf(pass: PagePass, expiresAt: Date, passes: readonly PagePass[]): OpeningPass {
  const { orderNumber, startsAt } = pass;
  let end = expiresAt;
  const running = passes.filter(({ endedAt, startsAt: start }) => endedAt === null && start !== null);
  for (const next of running.toSorted((a, b) => Number(a.startsAt) - Number(b.startsAt)))
    if (next.startsAt && next.startsAt <= end && next.expiresAt && next.expiresAt > end) end = next.expiresAt;
  return {
    orderNumber,
    startsAt: startsAt ?? expiresAt,
    expiresAt,
    renewedUntil: end > expiresAt ? end : null,
  };
}

function readEndOf(
  passes: readonly PagePass[],
  now: Date,
): Pick<RequiredAccess, "passEndedAt" | "revokedPass"> {
  const expired = passes.find(
    ({ endedAt, expiresAt }) => endedAt === null && expiresAt !== null && expiresAt <= now,
  );
  const revoked = passes.find(({ endedAt }) => endedAt !== null);
  const passEndedAt = expired?.expiresAt ?? null;
  const isLast = revoked?.endedAt && (passEndedAt === null || passEndedAt < revoked.endedAt);
  return {
    passEndedAt,
    revokedPass: isLast && revoked.endedAt ? { purchaseId: revoked.id, endedAt: revoked.endedAt } : null,
  };
}

/** Like `readPageAccess`, but refuses an actor without access. @throws also DomainError 'access-required' */
export async function requirePageAccess(
  ctx: Context,
  executor: Executor,
  slug: string,
): Promise<GrantedAccess> {
  const page = await readPageAccess(ctx, executor, slug);
  if (page.access === "required") throw new DomainError("access-required", { tool: page.tool.name });
  return page;
}

/** Whether anybody has a pass that opens the page of the tool now. */
export async function isPageInUse(
  ctx: Context,
  executor: Executor,
  tool: { id: string; slug: string },
): Promise<boolean> {
  const passes = selectOpeningPasses(executor, { userId: null, tool, passes: isActivePass(ctx) });
  return (await passes.limit(1)).length > 0;
}

/**
 * Until when the actor may use the pages of several tools, by the id of the tool, in one query; null: without an end. A page
 * that the actor may not use is left out. The caller has checked that the account is active.
 *
 * @throws DomainError 'unauthenticated'
 */
export async function readPagesAccess(
  ctx: Context,
  executor: Executor,
  toolIds: string[],
): Promise<Map<string, { tool: PageTool; expiresAt: Date | null }>> {
  requireSignedIn(ctx, "reads");
  const { actor } = ctx;
  const found = await selectPageTools(ctx, executor, { userId: actor.userId, toolIds });
  return new Map(
    found.flatMap((page) => {
      const { pricePaise: _, passExpiresAt: _end, ...tool } = page;
      const decision = decideFor(actor, page);
      return decision.access === "required" ? [] : [[tool.id, { tool, expiresAt: decision.expiresAt }]];
    }),
  );
}

const decideFor = (
  actor: SignedInActor,
  page: { pricePaise: number; onSale: boolean; passExpiresAt: Date | null },
) =>
  decidePageAccess({
    isAdmin: actor.kind === "admin",
    toolIsFree: page.pricePaise === 0,
    toolIsInCatalogue: page.onSale,
    passExpiresAt: page.passExpiresAt,
  });

/** What decides whether a signed-in account may use a tool page. */
export interface PageAccessFacts {
  isAdmin: boolean;
  toolIsFree: boolean;
  toolIsInCatalogue: boolean;
  /** The latest end of the active passes that open the page; null if there is none. */
  passExpiresAt: Date | null;
}

/** Admins may use every page; every account the page of a free tool in the catalogue; others need an active pass. */
export function decidePageAccess(
  facts: PageAccessFacts,
): { access: "granted"; expiresAt: Date | null } | { access: "required" } {
  const needsNoPass = facts.isAdmin || (facts.toolIsFree && facts.toolIsInCatalogue);
  if (needsNoPass) return { access: "granted", expiresAt: null };
  if (facts.passExpiresAt !== null) return { access: "granted", expiresAt: facts.passExpiresAt };
  return { access: "required" };
}

/**
 * Locks the user's active passes that open the page of `tool`, so that none ends meanwhile. Passes for the tool itself
 * come first. Empty when the access needs no pass.
 */
export async function lockPassesOfPage(
  ctx: Context,
  tx: Transaction,
  by: { userId: string; tool: PageTool },
): Promise<string[]> {
  const found = await selectOpeningPasses(tx, { ...by, passes: isActivePass(ctx) }).for("update");
  return found.map(({ id }) => id);
}

/** The user's active pass for a tool that expires last; null when there is none. */
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
 * waits and none is active, it is the pass.
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
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  // At most one row of each tool: the passes of a user for a tool do not overlap.
  const rows = await ctx.db
    .select({ slug: tools.slug, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .innerJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(and(eq(userPurchases.userId, userId), isActivePass(ctx)));
  return new Map(rows.flatMap(({ slug, expiresAt }) => (expiresAt === null ? [] : [[slug, expiresAt]])));
}
