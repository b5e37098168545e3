import { z } from "zod";
import { deviceSessions } from "#db/tables/devices.ts";
import { inTransaction } from "#db/transaction.ts";
import { findActiveCodeByText } from "../access-codes/find-active-code-by-text.server.ts";
import { isTakenBy } from "../access-codes/take-code.server.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { checkPageAccess } from "../passes/access.server.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { authenticateDevice } from "./connect-device.server.ts";
import { type DeviceSession, sessionOf } from "./device-session.ts";

const inputSchema = z.object({ accessCode: z.string().trim().min(1).max(500) });

/**
 * Redeems the access code of a server on a device. The code alone opens nothing: the device, its account and the pass for
 * the tool's page are checked each time. A repeated redemption on the same device and server is the same session.
 * A code without a pass for it is refused as an unknown one is, and so is one that the pass of another buyer has taken.
 *
 * @param token the device token; null when the request has none
 * @throws DomainError 'device-not-connected', 'user-disabled', 'access-code-not-redeemable', 'redemptions-too-fast',
 *   'invalid-input'
 */
export async function redeemAccessCode(
  visitor: Context,
  token: string | null,
  input: z.input<typeof inputSchema> | UntrustedInput,
): Promise<DeviceSession> {
  const { deviceId, ctx } = await authenticateDevice(visitor, token);
  const { accessCode } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("redemption-device", deviceId);
  return inTransaction(ctx.db, async (tx) => {
    const code = await findActiveCodeByText(ctx, tx, accessCode);
    const page = code && (await checkPageAccess(ctx, tx, code.toolSlug));
    if (code === null || page?.access !== "granted") throw new DomainError("access-code-not-redeemable");
    const { tool, expiresAt } = page;
    const { userId } = requireSignedIn(ctx, "own-account");
    if (code.perBuyer && !(await isTakenBy(ctx, tx, { passId: code.passId, userId, tool })))
      throw new DomainError("access-code-not-redeemable");
    const redeemed = { accessCodeId: code.id, redeemedAt: ctx.clock.now() };
    const [session] = await tx
      .insert(deviceSessions)
      .values({ deviceId, toolId: code.toolId, serverId: code.serverId, ...redeemed })
      .onConflictDoUpdate({
        target: [deviceSessions.deviceId, deviceSessions.toolId, deviceSessions.serverId],
        set: redeemed,
      })
      .returning({ id: deviceSessions.id });
    const server = tool.servers.find(({ id }) => id === code.serverId);
    if (!session || !server) throw new Error("a redeemed session has no row or no server");
    await recordAudit(ctx, tx, {
      action: "access-code.redeemed",
      subjectType: "access-code",
      subjectId: code.id,
      details: { page: tool.slug, serverId: server.id, deviceId },
    });
    return sessionOf(session.id, { tool, server, expiresAt });
  });
}
