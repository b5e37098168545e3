import { and, asc, desc, eq, inArray, isNull, lte, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import type { ToolServer } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, codesUsedUpNotices } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import { hasUnreservedCode } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { lockPassesOfPage, type PageTool, requirePageAccess } from "../passes/access.server.ts";
import { DAY } from "../time.ts";
import { openSimpleCode, secretVersion } from "../vault/seal-secrets.ts";
import { findActiveCode, hasServerName } from "./queries.server.ts";

const inputSchema = z.object({ page: z.string().min(1).max(80), serverId: z.string().min(1).max(120) });

/**
 * Decrypts the code of one server of a tool page: the newest active code, or the code that the buyer's pass takes at the first
 * reveal and keeps. Checks the access again, because a page can stay open in the browser after its pass has expired.
 *
 * @returns also the version of the code, which the tool page has for each server too
 * @throws DomainError 'unauthenticated', 'password-needed', 'user-disabled', 'invalid-input', 'reveals-too-fast', 'not-found'
 *   (page or server), 'access-required'; 'access-code-not-found', 'access-codes-used-up' (the owner is told) and
 *   'access-code-for-passes' with { server: its name }
 */
export async function revealAccessCode(
  ctx: Context,
  input: { page: string; serverId: string } | UntrustedInput,
): Promise<{ simpleCode: string; version: string }> {
  requireSignedIn(ctx, "reveals-secret");
  const { userId } = ctx.actor;
  const { page, serverId } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("reveal-account", userId);
  const { serverName, revealed } = await inTransaction(ctx.db, async (tx) => {
    const { tool } = await requirePageAccess(ctx, tx, page);
    const server = tool.servers.find(({ id }) => id === serverId);
    if (server === undefined) throw new DomainError("not-found");
    const code = await takeCode(ctx, tx, { tool, server, userId });
    if (code === null) {
      await tellCodesUsedUp(ctx, tx, { tool, serverName: server.name });
      return { serverName: server.name, revealed: null };
    }
    const simpleCode = openSimpleCode(ctx.ports.cipher, code);
    await recordAudit(ctx, tx, {
      action: "access-code.revealed",
      subjectType: "access-code",
      subjectId: code.id,
      details: { page, serverId },
    });
    const version = secretVersion({ id: code.id, changedAt: code.codeChangedAt });
    return { serverName: server.name, revealed: { simpleCode, version } };
  });
  if (revealed === null) throw new DomainError("access-codes-used-up", { server: serverName });
  return revealed;
}

/**
 * Tells the owner by mail that a buyer with a pass got no code, because all codes of a server are used: once a day for each
 * server, also of parallel refusals. The audit log has each such day.
 */
async function tellCodesUsedUp(
  ctx: Context,
  tx: Transaction,
  { tool, serverName }: { tool: { id: string; name: string }; serverName: string },
): Promise<void> {
  const toldAt = ctx.clock.now();
  const told = await tx
    .insert(codesUsedUpNotices)
    .values({ toolId: tool.id, serverName, toldAt })
    .onConflictDoUpdate({
      target: [codesUsedUpNotices.toolId, codesUsedUpNotices.serverName],
      set: { toldAt },
      setWhere: lte(codesUsedUpNotices.toldAt, new Date(toldAt.getTime() - DAY)),
    });
  if (told.rowCount === 0) return;
  changed(tx, codesUsedUpNotices);
  await recordAudit(ctx, tx, {
    action: "access-codes.used-up",
    subjectType: "tool",
    subjectId: tool.id,
    details: { serverName },
  });
  await queueOwnerMail(ctx, tx, {
    kind: "codes-used-up",
    facts: {
      toolName: tool.name,
      serverName,
      codesUrl: `${ctx.store.origin}/admin/access-codes?q=${encodeURIComponent(tool.name)}`,
    },
  });
}

/** A code that a buyer may have, sealed. */
type HeldCode = NonNullable<Awaited<ReturnType<typeof findActiveCode>>>;

interface Wanted {
  tool: PageTool;
  server: ToolServer;
  userId: string;
}

/**
 * The code of a server for the user: the code for all buyers; or the code that a pass of the user has taken, and at the first
 * time the oldest unused code, which the pass keeps. The passes are locked before the code, so that parallel requests of a buyer
 * take one code, and a code goes to one pass.
 *
 * @returns null when every code for one buyer is used, or is left for a pass of the tool itself
 * @throws DomainError 'access-code-not-found' (no active code), 'access-code-for-passes' (access without a pass), each
 *   with { server: its name }
 */
async function takeCode(ctx: Context, tx: Transaction, wanted: Wanted): Promise<HeldCode | null> {
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

/** The code of a server that the user has now: the code for all buyers, or the code that a pass of the user has taken. */
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

/** Whether a pass of the user for the tool's page has taken the code. Its passes are locked. */
export async function isTakenBy(
  ctx: Context,
  tx: Transaction,
  { passId, ...by }: { passId: string | null; userId: string; tool: PageTool },
): Promise<boolean> {
  return passId !== null && (await lockPassesOfPage(ctx, tx, by)).includes(passId);
}

const heldColumns = {
  id: accessCodes.id,
  simpleCodeSealed: accessCodes.simpleCodeSealed,
  codeChangedAt: accessCodes.codeChangedAt,
};

/** The codes for one buyer each of one server. */
const codesOf = (toolId: string, serverName: string) =>
  and(eq(accessCodes.toolId, toolId), hasServerName(serverName), eq(accessCodes.perBuyer, true));

/** The active code of a server that one of these passes has taken; null if there is none. */
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
