import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import type { ToolServer } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { hasUnreservedCode } from "../catalog/code-stock.server.ts";
import type { Context } from "../context.ts";
import { lockPassesOfPage, type PageTool } from "../passes/access.server.ts";
import { DomainError } from "../errors.ts";
import { findActiveCode, hasServerName } from "./queries.server.ts";

/** A code that a buyer may have, sealed. */
type HeldCode = NonNullable<Awaited<ReturnType<typeof findActiveCode>>>;

const heldColumns = {
  id: accessCodes.id,
  simpleCodeSealed: accessCodes.simpleCodeSealed,
  codeChangedAt: accessCodes.codeChangedAt,
};

/** The codes for one buyer each of one server. */
const codesOf = (toolId: string, serverName: string) =>
  and(eq(accessCodes.toolId, toolId), hasServerName(serverName), eq(accessCodes.perBuyer, true));

/** Whether a pass of the user for the tool's page has taken the code. Its passes are locked. */
export async function isTakenBy(
  ctx: Context,
  tx: Transaction,
  { passId, ...by }: { passId: string | null; userId: string; tool: PageTool },
): Promise<boolean> {
  return passId !== null && (await lockPassesOfPage(ctx, tx, by)).includes(passId);
}

/** The active code of a server that one of these passes has taken; null without one. */
async function findTakenCode(
  executor: Executor,
  { toolId, serverName, passIds }: { toolId: string; serverName: string; passIds: string[] },
): Promise<HeldCode | null> {
  if (passIds.length === 0) return null;
  const [code] = await executor
    .select(heldColumns)
    .from(accessCodes)
    .where(
      and(codesOf(toolId, serverName), eq(accessCodes.isActive, true), inArray(accessCodes.passId, passIds)),
    )
    .orderBy(desc(accessCodes.takenAt), desc(accessCodes.id))
    .limit(1);
  return code ?? null;
}

interface Wanted {
  tool: PageTool;
  server: ToolServer;
  userId: string;
}

/** The code of a server that the user has now: that of all buyers, or the one that a pass of the user has taken. */
export async function findOwnCode(
  ctx: Context,
  tx: Transaction,
  { tool, server, userId }: Wanted,
): Promise<HeldCode | null> {
  const serverName = server.name;
  if (!server.perBuyer) return findActiveCode(tx, tool.id, serverName);
  const passIds = await lockPassesOfPage(ctx, tx, { userId, tool });
  return findTakenCode(tx, { toolId: tool.id, serverName, passIds });
}

/**
 * The code of a server for the user: that of all buyers; or the one that a pass of the user has taken, and at the first
 * time the oldest unused one, which the pass keeps. The passes are locked before the code, so that parallel requests of a
 * buyer take one code, and a code goes to one pass.
 *
 * @returns null when every code for one buyer is used, or is left for a pass of the tool itself
 * @throws DomainError 'access-code-not-found' (no active code), 'access-code-for-passes' (access without a pass), each
 *   with { server: its name }
 */
export async function takeCode(ctx: Context, tx: Transaction, wanted: Wanted): Promise<HeldCode | null> {
  const { tool, server, userId } = wanted;
  const [toolId, serverName] = [tool.id, server.name];
  if (!server.perBuyer) {
    const shared = await findActiveCode(tx, toolId, serverName);
    if (shared === null) throw new DomainError("access-code-not-found", { server: serverName });
    return shared;
  }
  const passIds = await lockPassesOfPage(ctx, tx, { userId, tool });
  const [passId] = passIds;
  if (passId === undefined) throw new DomainError("access-code-for-passes", { server: serverName });
  const taken = await findTakenCode(tx, { toolId, serverName, passIds });
  if (taken !== null) return taken;
  // The passes of the tool itself were sold with a code. A pass of another tool, which opens the page too, gets what they leave.
  const isOfTool = and(eq(userPurchases.id, passId), eq(userPurchases.toolId, toolId));
  const mayTake =
    (await tx.$count(userPurchases, isOfTool)) > 0 ||
    (await hasUnreservedCode(ctx, tx, { toolId, serverName }));
  if (!mayTake) return null;
  const [unused] = await tx
    .select(heldColumns)
    .from(accessCodes)
    .where(and(codesOf(toolId, serverName), eq(accessCodes.isActive, true), isNull(accessCodes.passId)))
    .orderBy(asc(accessCodes.createdAt), asc(accessCodes.id))
    .limit(1)
    .for("update");
  if (unused === undefined) return null;
  const takenAt = ctx.clock.now();
  await tx
    .update(accessCodes)
    .set({ passId, takenAt, version: sql`${accessCodes.version} + 1` })
    .where(eq(accessCodes.id, unused.id));
  changed(tx, accessCodes);
  return unused;
}
