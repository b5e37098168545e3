import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { isDomainError } from "../../errors.ts";
import { queueMail } from "../../mail/queue-mail.server.ts";
import { parseInput } from "../../parse.ts";
import { RESET_LINK_MINUTES } from "../authenticator.ts";
import { findAccountByEmail } from "../queries.server.ts";
import { requestResetSchema } from "../schemas.ts";

/**
 * Mails a link for setting a new password. The result does not tell whether the email has an account, nor whether the
 * account has reached its limit of mails.
 *
 * @throws InvalidInputError when `email` is empty or has no '@'; DomainError 'reset-rate-limited' when the address of the
 *   browser has reached its limit
 */
export async function requestPasswordReset(ctx: Context, input: unknown): Promise<void> {
  const browser = requireBrowser(ctx);
  const { email } = parseInput(requestResetSchema, input);
  await ctx.ports.rateLimiter.consume("reset-address", browser.ipAddress);
  if (!(await mayMail(ctx, email))) return;
  const account = await findAccountByEmail(ctx.db, email);
  if (account === undefined || !account.isActive) return;
  // When the process ends before the mail is queued, nobody knows the token and it expires.
  const token = await ctx.ports.authenticator.makeResetToken(email);
  if (token === null) return;
  const resetUrl = `${ctx.store.origin}/reset-password?token=${encodeURIComponent(token)}`;
  await inTransaction(ctx.db, async (tx) => {
    const facts = { resetUrl, validMinutes: RESET_LINK_MINUTES };
    await queueMail(ctx, tx, { to: email, kind: "password-reset", facts });
    await recordAudit(ctx, tx, {
      action: "account.reset-requested",
      subjectType: "user",
      subjectId: account.id,
    });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
}

async function mayMail(ctx: Context, email: string): Promise<boolean> {
  try {
    await ctx.ports.rateLimiter.consume("reset-account", email);
    return true;
  } catch (error) {
    if (isDomainError(error, "reset-rate-limited")) return false;
    throw error;
  }
}
