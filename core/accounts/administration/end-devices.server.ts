import { and, eq, isNull } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../../context.ts";

/**
 * Releases every device of an account. After its password was replaced or removed, because somebody who knew it may have
 * connected one; after a deactivation, because the tokens must not work again with the account. The buyer's own releases are not
 * used up.
 */
export async function endDevices(
  ctx: Context,
  tx: Transaction,
  userId: string,
  releasedBy: "password-reset" | "deactivation" = "password-reset",
): Promise<void> {
  await tx.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
  await tx
    .update(devices)
    .set({ releasedAt: ctx.clock.now(), releasedBy })
    .where(and(eq(devices.userId, userId), isNull(devices.releasedAt)));
  changed(tx, devices);
}
