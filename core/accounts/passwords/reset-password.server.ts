import { and, eq, isNull } from "drizzle-orm";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput } from "../../parse.ts";
import { resetSignInLimits } from "../attempt-sign-in.server.ts";
import { findAccountById } from "../queries.server.ts";
import { requireAcceptablePassword, resetPasswordSchema } from "../schemas.ts";

/**
 * Sets a new password with the token of a reset link and ends every session of the account, those of the browser
 * extension included. A link works once.
 *
 * @throws DomainError 'invalid-reset-link', 'weak-password', 'common-password', 'sign-in-busy'
 */
export async function resetPassword(ctx: Context, input: unknown): Promise<void> {
  requireBrowser(ctx);
  const { token, newPassword } = parseInput(resetPasswordSchema, input);
  const { authenticator } = ctx.ports;
  const owner = await authenticator.findResetToken(token);
  const account = owner ? await findAccountById(ctx.db, owner.userId) : undefined;
  if (account === undefined || !account.isActive) throw new DomainError("invalid-reset-link");
  requireAcceptablePassword(newPassword, account.role, "newPassword");
  // Before and after: a failure before leaves the link valid, and a device may be connected in between.
  await endDevices(ctx, account.id);
  const { userId } = await authenticator.resetPassword({ token, newPassword });
  await endDevices(ctx, userId);
  await resetSignInLimits(ctx, account.email);
  await recordAudit(ctx, ctx.db, {
    action: "account.password-reset",
    subjectType: "user",
    subjectId: userId,
  });
}

/** Somebody who knew the old password may have connected a device. The buyer's own releases are not used up. */
async function endDevices(ctx: Context, userId: string): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await tx.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
    await tx
      .update(devices)
      .set({ releasedAt: ctx.clock.now(), releasedBy: "password-reset" })
      .where(and(eq(devices.userId, userId), isNull(devices.releasedAt)));
  });
}
