import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireSignedIn } from "../authorise.ts";
import { readDeviceSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { cleanText } from "../typed-text.ts";
import {
  countReleases,
  type DeviceView,
  isConnectedDeviceOf,
  lockActiveUser,
  selectDevices,
} from "./queries.server.ts";
import { DEFAULT_DEVICE_RULES, DEVICE_NAME_MAXIMUM, RELEASE_PERIOD_MS } from "./rules.ts";

/** A whole text, so that the catalogues of the languages have it; the type keeps the number the same. */
const NAME_TOO_LONG: `At most ${typeof DEVICE_NAME_MAXIMUM} characters.` = "At most 60 characters.";

/** A name that the buyer gives a device. */
export const deviceNameSchema = z
  .string()
  .transform((name) => cleanText(name.replace(/\p{Cc}/gu, "")))
  .pipe(z.string().min(1, "Enter a name.").max(DEVICE_NAME_MAXIMUM, NAME_TOO_LONG));

const ownInput = z.object({ deviceId: z.uuid() });
const adminInput = z.object({ deviceId: z.uuid(), userId: z.uuid() });

const nameInput = z.object({ deviceId: z.uuid(), name: deviceNameSchema });

const ofUserInput = z.object({ userId: z.uuid() });

export interface MyDevices {
  devices: DeviceView[];
  /** How many devices may be connected at the same time. */
  limit: number;
  /** How many the buyer may release now. */
  releasesLeft: number;
  /** When this was read. */
  now: Date;
}

/** The connected devices of the signed-in user. @throws DomainError 'unauthenticated' */
export async function listMyDevices(ctx: Context): Promise<MyDevices> {
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  const { devicesPerUser, releasesPerPeriod } = await readDeviceRules(ctx, ctx.db);
  const now = ctx.clock.now();
  const since = new Date(now.getTime() - RELEASE_PERIOD_MS);
  const releases = await countReleases(ctx.db, userId, since);
  return {
    devices: await selectDevices(ctx.db, userId, now),
    limit: devicesPerUser,
    releasesLeft: Math.max(0, releasesPerPeriod - releases),
    now,
  };
}

/** The connected devices of a user, for the admin. @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input' */
export async function listDevicesOfUser(
  ctx: Context,
  input: z.input<typeof ofUserInput> | UntrustedInput,
): Promise<DeviceView[]> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(ofUserInput, input);
  return selectDevices(ctx.db, userId, ctx.clock.now());
}

/**
 * Renames a connected device of the signed-in user.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'invalid-input', 'renames-too-fast', 'not-found' (also
 *   another user's device)
 */
export async function renameDevice(
  ctx: Context,
  input: z.input<typeof nameInput> | UntrustedInput,
): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { userId } = ctx.actor;
  const { deviceId, name } = parseInput(nameInput, input);
  await ctx.ports.rateLimiter.consume("rename-account", userId);
  await inTransaction(ctx.db, async (tx) => {
    await lockActiveUser(tx, userId);
    const renamed = await tx
      .update(devices)
      .set({ name })
      .where(and(eq(devices.id, deviceId), isConnectedDeviceOf(userId, ctx.clock.now())))
      .returning({ id: devices.id });
    changed(tx, devices);
    if (renamed.length === 0) throw new DomainError("not-found");
  });
}

/**
 * The signed-in user releases a device: its token ends, and its slot is free at once. The account is locked meanwhile,
 * so that parallel requests never exceed the number of releases in 30 days.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found' (also another user's device, and a device that is released
 *   already), 'device-releases-exceeded' with { limit }, 'invalid-input'
 */
export async function releaseDevice(
  ctx: Context,
  input: z.input<typeof ownInput> | UntrustedInput,
): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { userId } = ctx.actor;
  const { deviceId } = parseInput(ownInput, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockActiveUser(tx, userId);
    const now = ctx.clock.now();
    const owned = await tx.$count(devices, and(eq(devices.id, deviceId), isConnectedDeviceOf(userId, now)));
    if (owned === 0) throw new DomainError("not-found");
    const { releasesPerPeriod: limit } = await readDeviceRules(ctx, tx);
    const since = new Date(now.getTime() - RELEASE_PERIOD_MS);
    if ((await countReleases(tx, userId, since)) >= limit) {
      throw new DomainError("device-releases-exceeded", { limit });
    }
    await recordRelease(ctx, tx, { userId, deviceId, releasedBy: "user" });
  });
}

/**
 * An admin releases a device of a user. It is not counted against the user's own releases.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'not-found' (also a device that is released already),
 *   'invalid-input'
 */
export async function releaseDeviceOfUser(
  ctx: Context,
  input: z.input<typeof adminInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "changes-access");
  const { userId, deviceId } = parseInput(adminInput, input);
  await inTransaction(ctx.db, async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    await recordRelease(ctx, tx, { userId, deviceId, releasedBy: "admin" });
  });
}

async function recordRelease(
  ctx: Context,
  tx: Transaction,
  { userId, deviceId, releasedBy }: { userId: string; deviceId: string; releasedBy: "user" | "admin" },
): Promise<void> {
  const [released] = await tx
    .update(devices)
    .set({ releasedAt: ctx.clock.now(), releasedBy })
    .where(and(eq(devices.id, deviceId), eq(devices.userId, userId), isNull(devices.releasedAt)))
    .returning({ name: devices.name });
  changed(tx, devices);
  if (!released) throw new DomainError("not-found");
  await recordAudit(ctx, tx, {
    action: "device.released",
    subjectType: "user",
    subjectId: userId,
    details: { deviceId, name: released.name },
  });
}

/** How many devices a buyer may have and release: the owner's numbers, else the defaults. */
export async function readDeviceRules(
  ctx: Context,
  executor: Executor,
): Promise<typeof DEFAULT_DEVICE_RULES> {
  const { perUser, releasesPer30Days } = await readDeviceSettings(ctx, executor);
  return {
    devicesPerUser: perUser ?? DEFAULT_DEVICE_RULES.devicesPerUser,
    releasesPerPeriod: releasesPer30Days ?? DEFAULT_DEVICE_RULES.releasesPerPeriod,
  };
}
