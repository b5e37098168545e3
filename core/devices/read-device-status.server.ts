import { and, desc, eq } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { deviceSessions } from "#db/tables/devices.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { checkPagesAccess } from "../passes/access.server.ts";
import { isActivePass } from "../pass-validity.server.ts";
import { authenticateDevice } from "./connect-device.server.ts";
import { type DeviceSession, sessionOf } from "./device-session.ts";

/** More than this does not fit in a popup. */
const MAX_PASSES = 50;
const MAX_SESSIONS = 50;

export interface DeviceStatus {
  email: string;
  passes: { id: string; toolName: string; toolSlug: string; endsAt: Date }[];
  /** Only those whose pass has not ended. */
  sessions: DeviceSession[];
}

/**
 * What the popup of the extension shows: the active passes of its user, and the sessions of this device. It reads in a
 * few statements and without a transaction, because every opened popup calls it.
 *
 * @param token the device token; null when the request has none
 * @throws DomainError 'device-not-connected', 'status-requests-too-fast'
 */
export async function readDeviceStatus(visitor: Context, token: string | null): Promise<DeviceStatus> {
  const { deviceId, ctx } = await authenticateDevice(visitor, token);
  const { userId, email } = ctx.actor;
  await ctx.ports.rateLimiter.consume("status-account", userId);
  const passes = await ctx.db
    .select({
      id: userPurchases.id,
      toolName: userPurchases.toolName,
      toolSlug: tools.slug,
      endsAt: userPurchases.expiresAt,
    })
    .from(userPurchases)
    .innerJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(and(eq(userPurchases.userId, userId), isActivePass(ctx)))
    .orderBy(userPurchases.expiresAt, userPurchases.id)
    .limit(MAX_PASSES);
  return {
    email,
    passes: passes.flatMap(({ endsAt, ...pass }) => (endsAt === null ? [] : [{ ...pass, endsAt }])),
    sessions: await readSessions(ctx, deviceId),
  };
}

async function readSessions(ctx: Context, deviceId: string): Promise<DeviceSession[]> {
  const rows = await ctx.db
    .select({ id: deviceSessions.id, serverId: deviceSessions.serverId, toolId: deviceSessions.toolId })
    .from(deviceSessions)
    .where(eq(deviceSessions.deviceId, deviceId))
    .orderBy(desc(deviceSessions.redeemedAt), desc(deviceSessions.id))
    .limit(MAX_SESSIONS);
  if (rows.length === 0) return [];
  const pages = await checkPagesAccess(ctx, ctx.db, [...new Set(rows.map(({ toolId }) => toolId))]);
  return rows.flatMap(({ id, serverId, toolId }) => {
    const page = pages.get(toolId);
    const server = page?.tool.servers.find((candidate) => candidate.id === serverId);
    if (page?.access !== "granted" || server === undefined) return [];
    return [sessionOf(id, { ...page, server })];
  });
}
