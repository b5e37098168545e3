import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { sessions, users } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { allowAnyone, requireBrowser, requireSignedIn, type SignedInActor } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { DAY } from "../time.ts";
import { deviceNameSchema, readDeviceRules } from "./manage-devices.server.ts";
import {
  findConnectedInstallation,
  isConnectedDeviceOf,
  lockActiveUser,
  markTicketUsed,
  releaseExpiredDevices,
} from "./queries.server.ts";
import { CONNECTIONS_PER_DAY, deviceExpiryBefore, SEEN_INTERVAL_MS, TICKET_VALID_MS } from "./rules.ts";

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
  requireBrowser(ctx);
  const { ipAddress } = ctx.browser;
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

/**
 * A ticket with which the extension of this browser connects to the account of the session: valid once, for a minute. Whoever
 * ends a session deletes the tickets of its account afterwards. Because the session is locked here, no ticket of an ended
 * session is left.
 *
 * @throws DomainError 'unauthenticated', also when the session has just ended; 'password-needed'
 */
export async function issueTicket(ctx: Context): Promise<string> {
  requireSignedIn(ctx, "changes-access");
  const { userId, sessionId } = ctx.actor;
  const ticket = makeToken();
  const expiresAt = new Date(ctx.clock.now().getTime() + TICKET_VALID_MS);
  await inTransaction(ctx.db, async (tx) => {
    const running = await tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .for("key share");
    if (running.length === 0) throw new DomainError("unauthenticated");
    await tx.insert(deviceTickets).values({ ticketHash: hashToken(ticket), userId, expiresAt });
  });
  return ticket;
}

/** A connected device, and a context in which its user acts. An admin's device has no recent password. */
interface AuthenticatedDevice {
  deviceId: string;
  ctx: Context & { actor: SignedInActor };
}

/**
 * The device of a token. A released device, a device of a disabled or deleted account, and a device that was not used for 180
 * days are refused from that moment on.
 *
 * @param token null when the request has none
 * @throws DomainError 'device-not-connected'
 */
export async function authenticateDevice(ctx: Context, token: string | null): Promise<AuthenticatedDevice> {
  allowAnyone(ctx);
  if (token === null) throw new DomainError("device-not-connected");
  const [device] = await ctx.db
    .select({
      id: devices.id,
      lastSeenAt: devices.lastSeenAt,
      userId: users.id,
      email: users.email,
      role: users.role,
    })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .where(
      and(
        eq(devices.tokenHash, hashToken(token)),
        isNull(devices.releasedAt),
        eq(users.isActive, true),
        isNull(users.deletedAt),
      ),
    );
  if (!device) throw new DomainError("device-not-connected");
  const { id, lastSeenAt, role, ...person } = device;
  const now = ctx.clock.now();
  if (lastSeenAt <= deviceExpiryBefore(now)) throw new DomainError("device-not-connected");
  if (now.getTime() - lastSeenAt.getTime() >= SEEN_INTERVAL_MS) {
    await ctx.db.update(devices).set({ lastSeenAt: now }).where(eq(devices.id, id));
    changed(ctx.db, devices);
  }
  const actor: SignedInActor = { kind: role, ...person, sessionId: id };
  return { deviceId: id, ctx: { ...ctx, actor } };
}

/** A new ticket or device token: 256 random bits. */
function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What the database stores of a ticket or token. Its bits are random, so a plain hash cannot be guessed back. */
function hashToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}
