import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { deviceNameSchema } from "./device-name.ts";
import { countReleases, isConnectedDeviceOf, lockActiveUser } from "./queries.server.ts";
import { readDeviceRules } from "./read-device-rules.server.ts";
import { RELEASE_PERIOD_MS } from "./rules.ts";

const ownInput = z.object({ deviceId: z.uuid() });
const adminInput = z.object({ deviceId: z.uuid(), userId: z.uuid() });

/**
 * The signed-in user releases a device: its token ends, and its slot is free at once. The account is locked meanwhile,
 * so that parallel requests never exceed the number of releases in 30 days.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found' (also another user's device, and one that is
 *   released already), 'device-releases-exceeded' with { limit }, 'invalid-input'
 */
export async function releaseDevice(
  ctx: Context,
  input: z.input<typeof ownInput> | UntrustedInput,
): Promise<void> {
  const { userId } = requireSignedIn(ctx, "own-account");
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
    await release(ctx, tx, { userId, deviceId, releasedBy: "user" });
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
    await release(ctx, tx, { userId, deviceId, releasedBy: "admin" });
  });
}

async function release(
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

const inputSchema = z.object({ deviceId: z.uuid(), name: deviceNameSchema });

/**
 * Renames a connected device of the signed-in user.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'invalid-input', 'renames-too-fast', 'not-found' (also
 *   another user's device)
 */
export async function renameDevice(
  ctx: Context,
  input: z.input<typeof inputSchema> | UntrustedInput,
): Promise<void> {
  const { userId } = requireSignedIn(ctx, "own-account");
  const { deviceId, name } = parseInput(inputSchema, input);
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
