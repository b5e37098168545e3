import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser } from "../../authorise.ts";
import { readStoreSettings } from "../../catalog/store-settings.server.ts";
import type { Context } from "../../context.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { queueMail } from "../../mail/queue-mail.server.ts";
import { parseInput } from "../../parse.ts";
import { endDevices } from "../administration/end-devices.server.ts";
import { findAccountById, setEmailVerified } from "../queries.server.ts";
import { requireAcceptablePassword, resetPasswordSchema } from "../schemas.ts";
import { resetSignInLimits } from "../sign-in/attempt-sign-in.server.ts";

/**
 * Sets a new password with the token of a reset link and ends every session of the account, those of the browser
 * extension included. A link works once. A mail tells the person. Ten refused passwords of one account are allowed in 15
 * minutes.
 *
 * @throws DomainError 'invalid-reset-link', 'weak-password', 'common-password', 'guessable-password', 'same-password',
 *   'reset-rate-limited', 'sign-in-busy'
 */
export async function resetPassword(ctx: Context, input: unknown): Promise<void> {
  requireBrowser(ctx);
  const { token, newPassword } = parseInput(resetPasswordSchema, input);
  const { authenticator, rateLimiter } = ctx.ports;
  const owner = await authenticator.findResetToken(token);
  const account = owner ? await findAccountById(ctx.db, owner.userId) : undefined;
  if (account === undefined || !account.isActive) throw new DomainError("invalid-reset-link");
  const { name: shopName } = await readStoreSettings(ctx);
  const { role, email } = account;
  requireAcceptablePassword(newPassword, { role, email, shopName }, "newPassword");
  await rateLimiter.consume("reset-link-account", account.id);
  try {
    if (await isCurrentPassword(ctx, { email, password: newPassword }))
      throw new DomainError("same-password");
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) await rateLimiter.undoConsume("reset-link-account", account.id);
    throw error;
  }
  // Before and after: a failure before leaves the link valid, and a device may be connected in between.
  const release = () => inTransaction(ctx.db, (tx) => endDevices(ctx, tx, account.id));
  await release();
  const { userId } = await authenticator.resetPassword({ token, newPassword });
  await release();
  // Whoever used the link reads the mail of this address. Without a mail server the owner has passed the link on.
  if (ctx.ports.mailTransport !== null) await setEmailVerified(ctx.db, userId);
  await resetSignInLimits(ctx, email);
  await rateLimiter.reset("reset-link-account", account.id);
  await inTransaction(ctx.db, async (tx) => {
    await recordAudit(ctx, tx, {
      action: "account.password-reset",
      subjectType: "user",
      subjectId: userId,
      details: addressOf(ctx),
    });
    await queueMail(ctx, tx, { to: email, kind: "password-changed", facts: { email } });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
}

async function isCurrentPassword(
  { ports }: Context,
  attempt: { email: string; password: string },
): Promise<boolean> {
  try {
    await ports.authenticator.checkPassword(attempt);
    return true;
  } catch (error) {
    // An account without a password has none that is the same.
    if (isDomainError(error, "wrong-password") || isDomainError(error, "user-not-found")) return false;
    throw error;
  }
}
