import { and, eq, isNull } from "drizzle-orm";
import { users } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { changed } from "#db/transaction.ts";
import type { SignedInActor } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { deviceExpiryBefore, SEEN_INTERVAL_MS } from "./rules.ts";
import { hashToken } from "./tokens.ts";

/** A connected device, and a context in which its user acts. An admin's device has no recent password. */
export interface AuthenticatedDevice {
  deviceId: string;
  ctx: Context & { actor: SignedInActor };
}

/**
 * The device of a token. A released device, that of a disabled or deleted account, and one that was not used for 180 days
 * are refused from that moment on.
 *
 * @param token null when the request has none
 * @throws DomainError 'device-not-connected'
 */
export async function authenticateDevice(ctx: Context, token: string | null): Promise<AuthenticatedDevice> {
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
