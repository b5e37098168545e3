import { eq } from "drizzle-orm";
import { z } from "zod";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { revokePurchases } from "../purchases/revoke-purchases.server.ts";

const deleteUserInput = z.object({ userId: z.uuid() });

/**
 * Deletes a user: ends their sessions, revokes their passes and open checkouts, and removes personal data from the rows
 * that are kept for accounting. A second call changes nothing. Admins cannot be deleted.
 *
 * @throws DomainError unauthenticated, forbidden (also for an admin's account), not-found, invalid-input
 */
export async function deleteUser(ctx: Context, input: z.input<typeof deleteUserInput>): Promise<void> {
  requireAdmin(ctx);
  const { userId } = parseInput(deleteUserInput, input);
  await inTransaction(ctx.db, async (tx) => {
    // Every checkout locks this row first, so none can start concurrently.
    const [user] = await tx.select().from(users).where(eq(users.id, userId)).for("update");
    if (!user) throw new DomainError("not-found");
    if (user.role === "admin") throw new DomainError("forbidden");
    if (user.deletedAt) return;
    await revokePurchases(ctx, tx, userId);
    await tx.delete(sessions).where(eq(sessions.userId, userId));
    await tx.delete(authAccounts).where(eq(authAccounts.userId, userId));
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
    await recordAudit(ctx, tx, { action: "user.deleted", subjectType: "user", subjectId: userId });
  });
}
