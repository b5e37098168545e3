import { z } from "zod";
import { accessCodeReports } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { requirePageAccess } from "../passes/access.server.ts";
import { DomainError } from "../errors.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { lockAccessCode } from "./queries.server.ts";
import { countReports, selectRecentReports } from "./report-queries.server.ts";
import { findOwnCode } from "./take-code.server.ts";

const inputSchema = z.object({ page: z.string().min(1).max(80), serverId: z.string().min(1).max(120) });

/**
 * A buyer with an active pass reports that the code of a server does not work. A second report within an hour, of a code
 * that has not changed, is the first one again. The owner gets a mail about the first report of a code.
 *
 * @returns when this buyer reported the code
 * @throws DomainError 'unauthenticated', 'user-disabled', 'invalid-input', 'reports-too-fast', 'not-found' (page or
 *   server), 'access-required', 'forbidden' (access without a pass), 'access-code-not-found' with { server: its name }
 */
export async function reportAccessCode(
  ctx: Context,
  input: { page: string; serverId: string } | UntrustedInput,
): Promise<{ reportedAt: Date }> {
  const { userId, kind } = requireSignedIn(ctx, "own-account");
  const { page, serverId } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("report-account", userId);
  return inTransaction(ctx.db, async (tx) => {
    const { tool, expiresAt } = await requirePageAccess(ctx, tx, page);
    if (kind !== "user" || expiresAt === null) throw new DomainError("forbidden");
    const server = tool.servers.find(({ id }) => id === serverId);
    if (server === undefined) throw new DomainError("not-found");
    const found = await findOwnCode(ctx, tx, { tool, server, userId });
    // The lock makes reports of one code wait for each other, and for a change of the code.
    const code = found && (await lockAccessCode(tx, found.id));
    if (!code?.isActive) throw new DomainError("access-code-not-found", { server: server.name });
    const now = ctx.clock.now();
    const recent = await selectRecentReports(tx, { userId, codeIds: [code.id], now });
    const before = recent.get(code.id);
    if (before !== undefined) return { reportedAt: before };
    const isFirst = (await countReports(tx, [code.id])).size === 0;
    await tx.insert(accessCodeReports).values({ accessCodeId: code.id, userId, createdAt: now });
    changed(tx, accessCodeReports);
    await recordAudit(ctx, tx, {
      action: "access-code.reported",
      subjectType: "access-code",
      subjectId: code.id,
      details: { page, serverId },
    });
    if (isFirst) {
      const adminUrl = `${ctx.store.origin}/admin/access-codes?${new URLSearchParams({ q: tool.name })}`;
      const facts = { toolName: tool.name, serverName: server.name, adminUrl };
      await queueOwnerMail(ctx, tx, { kind: "code-reported", facts });
    }
    return { reportedAt: now };
  });
}
