import { and, asc, desc, eq, gt, isNull } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { DomainError } from "../errors.ts";

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

export function isConnectedDeviceOf(userId: string) {
  return and(eq(devices.userId, userId), isNull(devices.releasedAt));
}

/** A device as its buyer and the admin see it. */
export interface DeviceView {
  id: string;
  /** Made by the extension. The page of this installation's browser knows it as well; it opens nothing. */
  installationId: string;
  name: string;
  extensionVersion: string;
  connectedAt: Date;
  lastSeenAt: Date;
}

/** The connected devices of a user, oldest first. */
export function selectDevices(executor: Executor, userId: string): Promise<DeviceView[]> {
  return executor
    .select({
      id: devices.id,
      installationId: devices.installationId,
      name: devices.name,
      extensionVersion: devices.extensionVersion,
      connectedAt: devices.createdAt,
      lastSeenAt: devices.lastSeenAt,
    })
    .from(devices)
    .where(isConnectedDeviceOf(userId))
    .orderBy(asc(devices.createdAt), asc(devices.id));
}

/** How many devices the buyer has released since `since`. */
export function countReleases(executor: Executor, userId: string, since: Date): Promise<number> {
  return executor.$count(
    devices,
    and(eq(devices.userId, userId), eq(devices.releasedBy, "user"), gt(devices.releasedAt, since)),
  );
}

/** The latest row of this installation that is connected; null without one. */
export async function findConnectedInstallation(
  tx: Transaction,
  { userId, installationId }: { userId: string; installationId: string },
): Promise<{ id: string } | null> {
  const [device] = await tx
    .select({ id: devices.id })
    .from(devices)
    .where(and(isConnectedDeviceOf(userId), eq(devices.installationId, installationId)))
    .orderBy(desc(devices.createdAt))
    .limit(1);
  return device ?? null;
}
