import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { requirePageAccess } from "../entitlements/check-page-access.server.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openSimpleCode } from "../vault/seal-access-code.ts";
import { secretVersion } from "../vault/secret-version.ts";
import { takeCode } from "./take-code.server.ts";
import { tellCodesUsedUp } from "./tell-codes-used-up.server.ts";

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
