import { and, asc, desc, eq, gt, isNull, lte } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { changed } from "#db/transaction.ts";
import { DomainError } from "../errors.ts";
import { deviceExpiryBefore, tellApart } from "./rules.ts";

/** Marks a valid ticket as used. @returns its user; null when it is unknown, used or expired. */
export async function markTicketUsed(
  tx: Transaction,
  { ticketHash, now }: { ticketHash: string; now: Date },
): Promise<string | null> {
  const [ticket] = await tx
    .update(deviceTickets)
    .set({ usedAt: now })
    .where(
      and(
        eq(deviceTickets.ticketHash, ticketHash),
        isNull(deviceTickets.usedAt),
        gt(deviceTickets.expiresAt, now),
      ),
    )
    .returning({ userId: deviceTickets.userId });
  return ticket?.userId ?? null;
}

/**
 * Locks the account, so that its devices are counted and changed by one transaction at a time.
 *
 * @throws DomainError 'user-disabled'
 */
export async function lockActiveUser(tx: Transaction, userId: string): Promise<void> {
  const [user] = await tx
    .select({ isActive: users.isActive, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for("update");
  if (!user?.isActive || user.deletedAt !== null) throw new DomainError("user-disabled");
}

/** A device of the user that is neither released nor expired. */
export function isConnectedDeviceOf(userId: string, now: Date) {
  return and(
    eq(devices.userId, userId),
    isNull(devices.releasedAt),
    gt(devices.lastSeenAt, deviceExpiryBefore(now)),
  );
}

/** Releases the expired devices of an account that the caller has locked, so that their installations can connect again. */
export async function releaseExpiredDevices(
  tx: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await tx
    .update(devices)
    .set({ releasedAt: now, releasedBy: "expiry" })
    .where(
      and(
        eq(devices.userId, userId),
        isNull(devices.releasedAt),
        lte(devices.lastSeenAt, deviceExpiryBefore(now)),
      ),
    );
  changed(tx, devices);
}

/** A device as its buyer and the admin see it. */
export interface DeviceView {
  id: string;
  /** Made by the extension. The page of this installation's browser knows it as well; it opens nothing. */
  installationId: string;
  /** As the extension or the buyer has named it. */
  name: string;
  /** The name with a number when an older device has the same one. */
  shownName: string;
  extensionVersion: string;
  connectedAt: Date;
  lastSeenAt: Date;
}

/** The connected devices of a user at `now`, oldest first. */
export async function selectDevices(executor: Executor, userId: string, now: Date): Promise<DeviceView[]> {
  const connected = await executor
    .select({
      id: devices.id,
      installationId: devices.installationId,
      name: devices.name,
      extensionVersion: devices.extensionVersion,
      connectedAt: devices.createdAt,
      lastSeenAt: devices.lastSeenAt,
    })
    .from(devices)
    .where(isConnectedDeviceOf(userId, now))
    .orderBy(asc(devices.createdAt), asc(devices.id));
  return tellApart(connected);
}

/** How many devices the buyer has released since `since`. */
export function countReleases(executor: Executor, userId: string, since: Date): Promise<number> {
  return executor.$count(
    devices,
    and(eq(devices.userId, userId), eq(devices.releasedBy, "user"), gt(devices.releasedAt, since)),
  );
}

/** The latest row of this installation that is connected; null if there is none. */
export async function findConnectedInstallation(
  tx: Transaction,
  { userId, installationId, now }: { userId: string; installationId: string; now: Date },
): Promise<{ id: string } | null> {
  const [device] = await tx
    .select({ id: devices.id })
    .from(devices)
    .where(and(isConnectedDeviceOf(userId, now), eq(devices.installationId, installationId)))
    .orderBy(desc(devices.createdAt))
    .limit(1);
  return device ?? null;
}
