import { and, eq, gt } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { devices } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { DAY } from "../time.ts";
import { deviceNameSchema } from "./device-name.ts";
import {
  findConnectedInstallation,
  isConnectedDeviceOf,
  lockActiveUser,
  markTicketUsed,
  releaseExpiredDevices,
} from "./queries.server.ts";
import { readDeviceRules } from "./read-device-rules.server.ts";
import { CONNECTIONS_PER_DAY } from "./rules.ts";
import { hashToken, makeToken } from "./tokens.ts";

const inputSchema = z.object({
  ticket: z.string().min(1).max(200),
  installationId: z.uuid(),
  name: deviceNameSchema,
  version: z.string().regex(/^\d{1,5}(\.\d{1,5}){0,3}$/),
});

/**
 * Trades a ticket for the token of a device. An installation that is connected already gets a new token and is not
 * counted again; the old token ends. The account is locked meanwhile, so that parallel requests never exceed a limit.
 *
 * @throws DomainError 'invalid-ticket', 'user-disabled', 'device-limit-reached' with { limit },
 *   'device-connections-exceeded', 'redemptions-too-fast', 'invalid-input'
 */
export async function connectDevice(
  ctx: Context,
  input: z.input<typeof inputSchema> | UntrustedInput,
): Promise<{ token: string }> {
  const { ipAddress } = requireBrowser(ctx);
  const { ticket, installationId, name, version } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("connection-address", ipAddress);
  const token = makeToken();
  const now = ctx.clock.now();
  await inTransaction(ctx.db, async (tx) => {
    const userId = await markTicketUsed(tx, { ticketHash: hashToken(ticket), now });
    if (userId === null) throw new DomainError("invalid-ticket");
    await lockActiveUser(tx, userId);
    await releaseExpiredDevices(tx, { userId, now });
    const values = { tokenHash: hashToken(token), extensionVersion: version, lastSeenAt: now };
    const connected = await findConnectedInstallation(tx, { userId, installationId, now });
    if (connected !== null) {
      await tx.update(devices).set(values).where(eq(devices.id, connected.id));
      changed(tx, devices);
      return;
    }
    await requireFreeSlot(ctx, tx, userId);
    const [device] = await tx
      .insert(devices)
      .values({ userId, installationId, name, createdAt: now, ...values })
      .returning({ id: devices.id });
    changed(tx, devices);
    await recordAudit(ctx, tx, {
      action: "device.connected",
      subjectType: "user",
      subjectId: userId,
      details: { deviceId: device?.id, name, version },
    });
  });
  return { token };
}

async function requireFreeSlot(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  const { devicesPerUser: limit } = await readDeviceRules(ctx, tx);
  const now = ctx.clock.now();
  if ((await tx.$count(devices, isConnectedDeviceOf(userId, now))) >= limit) {
    throw new DomainError("device-limit-reached", { limit });
  }
  const dayAgo = new Date(now.getTime() - DAY);
  const connectedToday = and(eq(devices.userId, userId), gt(devices.createdAt, dayAgo));
  if ((await tx.$count(devices, connectedToday)) >= CONNECTIONS_PER_DAY) {
    throw new DomainError("device-connections-exceeded");
  }
}
