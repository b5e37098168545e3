import { and, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { requirePageAccess } from "../passes/access.server.ts";
import { DomainError } from "../errors.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { DAY } from "../time.ts";
import { openSimpleCode } from "../vault/seal-access-code.ts";
import { secretVersion } from "../vault/secret-version.ts";
import { takeCode } from "./take-code.server.ts";

const inputSchema = z.object({ page: z.string().min(1).max(80), serverId: z.string().min(1).max(120) });

/**
 * Decrypts the code of one server of a tool page: the newest active one, or the one that the buyer's pass takes at the
 * first reveal and keeps. Checks the access again, because a page can stay open in the browser after its pass has expired.
 *
 * @returns also the version of the code, which the tool page has for each server too
 * @throws DomainError 'unauthenticated', 'password-needed', 'user-disabled', 'invalid-input', 'reveals-too-fast', 'not-found' (page or server),
 *   'access-required'; 'access-code-not-found', 'access-codes-used-up' (the owner is told) and 'access-code-for-passes'
 *   with { server: its name }
 */
export async function revealAccessCode(
  ctx: Context,
  input: { page: string; serverId: string } | UntrustedInput,
): Promise<{ simpleCode: string; version: string }> {
  const { userId } = requireSignedIn(ctx, "reveals-secret");
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

const ACTION = "access-codes.used-up";

/**
 * Tells the owner by mail that a buyer with a pass got no code, because all codes of a server are used: once a day for each
 * server. The audit log has each such day.
 */
async function tellCodesUsedUp(
  ctx: Context,
  tx: Transaction,
  { tool, serverName }: { tool: { id: string; name: string }; serverName: string },
): Promise<void> {
  // Parallel refusals wait for each other here.
  await tx.select({ id: tools.id }).from(tools).where(eq(tools.id, tool.id)).for("no key update");
  const told = and(
    eq(auditEvents.action, ACTION),
    eq(auditEvents.subjectId, tool.id),
    eq(sql`${auditEvents.details} ->> 'serverName'`, serverName),
    gt(auditEvents.createdAt, new Date(ctx.clock.now().getTime() - DAY)),
  );
  if ((await tx.$count(auditEvents, told)) > 0) return;
  const subject = { subjectType: "tool", subjectId: tool.id };
  await recordAudit(ctx, tx, { action: ACTION, ...subject, details: { serverName } });
  await queueOwnerMail(ctx, tx, {
    kind: "codes-used-up",
    facts: {
      toolName: tool.name,
      serverName,
      codesUrl: `${ctx.store.origin}/admin/access-codes?q=${encodeURIComponent(tool.name)}`,
    },
  });
}
