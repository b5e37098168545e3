import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { devices } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { deviceNameSchema } from "./device-name.ts";
import { isConnectedDeviceOf, lockActiveUser } from "./queries.server.ts";

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
