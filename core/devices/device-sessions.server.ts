import { and, desc, eq, gt } from "drizzle-orm";
import { z } from "zod";
import { type ToolServer, tools } from "#db/tables/catalog.ts";
import { deviceSessions } from "#db/tables/devices.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { findActiveCodeByText } from "../access-codes/find-server-codes.server.ts";
import { isTakenBy, revealAccessCode } from "../access-codes/reveal-access-code.server.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isActivePass, isExpiredPass } from "../pass-validity.server.ts";
import { readPageAccess, readPagesAccess } from "../passes/access.server.ts";
import { DAY } from "../time.ts";
import { authenticateDevice } from "./connect-device.server.ts";

/** More than this does not fit in a popup. */
const MAX_PASSES = 50;
const MAX_SESSIONS = 50;
const MAX_ENDED_PASSES = 5;

/** How long the popup says that a pass has ended. */
const ENDED_SHOWN_MS = 7 * DAY;

/** A redeemed server on a device. */
export interface DeviceSession {
  id: string;
  toolName: string;
  toolSlug: string;
  serverName: string;
  /** Where the buyer continues: the server's own address, else the tool's; null: the tool's page in the shop. */
  launchUrl: string | null;
  /** When the pass expires; null for access without an end. */
  endsAt: Date | null;
}

interface DeviceStatus {
  email: string;
  /** Passes that expired within the last week, the last one first; none of a tool with an active pass. */
  ended: { id: string; toolName: string; toolSlug: string; endedAt: Date }[];
  passes: { id: string; toolName: string; toolSlug: string; endsAt: Date }[];
  /** Only those whose pass has not ended. */
  sessions: DeviceSession[];
}

/**
 * What the popup of the extension shows: the active passes of its user, those that have just ended, and the sessions of this
 * device. It reads in a few statements and without a transaction, because every opened popup calls it.
 *
 * @param token the device token; null when the request has none
 * @throws DomainError 'device-not-connected', 'status-requests-too-fast'
 */
export async function readDeviceStatus(visitor: Context, token: string | null): Promise<DeviceStatus> {
  const { deviceId, ctx } = await authenticateDevice(visitor, token);
  requireSignedIn(ctx, "reads");
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
    ended: await readEndedPasses(ctx, {
      userId,
      activeSlugs: new Set(passes.map(({ toolSlug }) => toolSlug)),
    }),
    passes: passes.flatMap(({ endsAt, ...pass }) => (endsAt === null ? [] : [{ ...pass, endsAt }])),
    sessions: await readSessions(ctx, deviceId),
  };
}

async function readEndedPasses(
  ctx: AuthorisedContext,
  { userId, activeSlugs }: { userId: string; activeSlugs: ReadonlySet<string> },
): Promise<DeviceStatus["ended"]> {
  const since = new Date(ctx.clock.now().getTime() - ENDED_SHOWN_MS);
  const rows = await ctx.db
    .select({
      id: userPurchases.id,
      toolName: userPurchases.toolName,
      toolSlug: tools.slug,
      endedAt: userPurchases.expiresAt,
    })
    .from(userPurchases)
    .innerJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(and(eq(userPurchases.userId, userId), isExpiredPass(ctx), gt(userPurchases.expiresAt, since)))
    .orderBy(desc(userPurchases.expiresAt), desc(userPurchases.id))
    .limit(MAX_PASSES);
  const shown = new Set(activeSlugs);
  const ended = rows.flatMap(({ endedAt, ...pass }) => {
    if (endedAt === null || shown.has(pass.toolSlug)) return [];
    shown.add(pass.toolSlug);
    return [{ ...pass, endedAt }];
  });
  return ended.slice(0, MAX_ENDED_PASSES);
}

async function readSessions(ctx: AuthorisedContext, deviceId: string): Promise<DeviceSession[]> {
  const rows = await ctx.db
    .select({ id: deviceSessions.id, serverId: deviceSessions.serverId, toolId: deviceSessions.toolId })
    .from(deviceSessions)
    .where(eq(deviceSessions.deviceId, deviceId))
    .orderBy(desc(deviceSessions.redeemedAt), desc(deviceSessions.id))
    .limit(MAX_SESSIONS);
  if (rows.length === 0) return [];
  const pages = await readPagesAccess(ctx, ctx.db, [...new Set(rows.map(({ toolId }) => toolId))]);
  return rows.flatMap(({ id, serverId, toolId }) => {
    const page = pages.get(toolId);
    const server = page?.tool.servers.find((candidate) => candidate.id === serverId);
    return page && server ? [sessionOf(id, { ...page, server })] : [];
  });
}

const inputSchema = z.object({ accessCode: z.string().trim().min(1).max(500) });

/**
 * Redeems the access code of a server on a device. The code alone opens nothing: the device, its account and the pass for
 * the tool's page are checked each time. A repeated redemption on the same device and server is the same session.
 * A code without a pass for it is refused as an unknown code is, and so is a code that the pass of another buyer has taken.
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
  requireSignedIn(ctx, "own-account");
  const { accessCode } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("redemption-device", deviceId);
  return inTransaction(ctx.db, async (tx) => {
    const code = await findActiveCodeByText(ctx, tx, accessCode);
    const page = code && (await readPageAccess(ctx, tx, code.toolSlug));
    if (code === null || page?.access !== "granted") throw new DomainError("access-code-not-redeemable");
    const { tool, pass } = page;
    const { userId } = ctx.actor;
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
    return sessionOf(session.id, { tool, server, expiresAt: pass?.expiresAt ?? null });
  });
}

const sessionInput = z.object({ sessionId: z.uuid() });

/**
 * The access code of a server that this device has redeemed, for the popup of the extension: the code that the tool page would
 * show now, with the same checks, limits and audit event.
 *
 * @param token the device token; null when the request has none
 * @throws DomainError 'device-not-connected', 'invalid-input', 'not-found' (no such session of this device), and what
 *   `revealAccessCode` throws
 */
export async function revealSessionCode(
  visitor: Context,
  token: string | null,
  input: z.input<typeof sessionInput> | UntrustedInput,
): Promise<{ simpleCode: string }> {
  const { deviceId, ctx } = await authenticateDevice(visitor, token);
  requireSignedIn(ctx, "reads");
  const { sessionId } = parseInput(sessionInput, input);
  const [session] = await ctx.db
    .select({ page: tools.slug, serverId: deviceSessions.serverId })
    .from(deviceSessions)
    .innerJoin(tools, eq(tools.id, deviceSessions.toolId))
    .where(and(eq(deviceSessions.id, sessionId), eq(deviceSessions.deviceId, deviceId)));
  if (session === undefined) throw new DomainError("not-found");
  return revealAccessCode(ctx, session);
}

interface SessionParts {
  tool: { name: string; slug: string; launchUrl: string | null };
  server: ToolServer;
  expiresAt: Date | null;
}

function sessionOf(id: string, { tool, server, expiresAt }: SessionParts): DeviceSession {
  return {
    id,
    toolName: tool.name,
    toolSlug: tool.slug,
    serverName: server.name,
    launchUrl: server.url ?? tool.launchUrl,
    endsAt: expiresAt,
  };
}
