import { eq } from "drizzle-orm";
import { z } from "zod";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { revokePurchases } from "../../passes/end-purchases.server.ts";

const deleteUserInput = z.object({ userId: z.uuid() });

/**
 * Deletes a user: ends their sessions, revokes their passes and open checkouts, deletes their devices, mails and reset links, and
 * removes personal data from the rows that are kept for accounting. The revenue does not change, because the rows about
 * money stay. A second call changes nothing. Admins cannot be deleted.
 *
 * @throws DomainError unauthenticated, forbidden (also for an admin's account), password-needed, not-found,
 *   invalid-input
 */
export async function deleteUser(
  ctx: Context,
  input: z.input<typeof deleteUserInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { userId } = parseInput(deleteUserInput, input);
  await inTransaction(ctx.db, async (tx) => {
    // Every checkout locks this row first, so none can start concurrently.
    const [user] = await tx.select().from(users).where(eq(users.id, userId)).for("update");
    if (!user) throw new DomainError("not-found");
    if (user.role === "admin") throw new DomainError("forbidden");
    if (user.deletedAt) return;
    const ended = await revokePurchases(ctx, tx, userId);
    await tx.delete(sessions).where(eq(sessions.userId, userId));
    await tx.delete(authAccounts).where(eq(authAccounts.userId, userId));
    await tx.delete(verifications).where(eq(verifications.value, userId));
    await tx.delete(devices).where(eq(devices.userId, userId));
    await tx.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
    await tx.delete(mailMessages).where(eq(mailMessages.recipient, user.email));
    await tx
      .update(users)
      .set({
        email: `${userId}@deleted.invalid`,
        emailVerified: false,
        name: "",
        image: null,
        isActive: false,
        deletedAt: ctx.clock.now(),
      })
      .where(eq(users.id, userId));
    changed(tx, sessions, devices, users);
    // Without the address and the name: the audit log must not keep what the deletion removes.
    await recordAudit(ctx, tx, {
      action: "user.deleted",
      subjectType: "user",
      subjectId: userId,
      details: { before: { isActive: user.isActive, provider: user.provider }, after: null, ...ended },
    });
  });
}
