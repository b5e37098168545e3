import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";

const setUserActiveInput = z.object({ userId: z.uuid(), isActive: z.boolean() });

/**
 * The admin activates or deactivates an account. A deactivated account cannot sign in, and its sessions, its devices
 * and its reset links end at once and for good. Its passes stay and run on, and open again with the account. A payment that arrives meanwhile is refunded. Admins
 * cannot be deactivated, also not by themselves. A repeated call changes nothing.
 *
 * @returns whether the account was changed
 * @throws DomainError unauthenticated, forbidden, password-needed (also for an admin's account), not-found (also deleted), invalid-input
 */
export async function setUserActive(
  ctx: Context,
  input: z.input<typeof setUserActiveInput> | UntrustedInput,
): Promise<{ changed: boolean }> {
  requireAdmin(ctx, "changes-access");
  const { userId, isActive } = parseInput(setUserActiveInput, input);
  return inTransaction(ctx.db, async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.id, userId)).for("update");
    if (!user || user.deletedAt) throw new DomainError("not-found");
    if (user.role === "admin" && !isActive) throw new DomainError("forbidden");
    if (user.isActive === isActive) return { changed: false };
    await tx.update(users).set({ isActive }).where(eq(users.id, userId));
    changed(tx, users);
    // Also on activation: a request at the moment of the deactivation may have started a session or made a link after it.
    const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ id: sessions.id });
    changed(tx, sessions);
    await tx.delete(verifications).where(eq(verifications.value, userId));
    await endDevices(ctx, tx, userId, "deactivation");
    await recordAudit(ctx, tx, {
      action: isActive ? "user.activated" : "user.deactivated",
      subjectType: "user",
      subjectId: userId,
      details: { before: { isActive: user.isActive }, after: { isActive }, sessionsEnded: ended.length },
    });
    return { changed: true };
  });
}

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
