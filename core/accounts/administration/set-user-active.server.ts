import { eq } from "drizzle-orm";
import { z } from "zod";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { endDevices } from "./end-devices.server.ts";

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
