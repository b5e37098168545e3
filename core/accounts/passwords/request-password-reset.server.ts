import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { queueMail } from "../../mail/queue-mail.server.ts";
import { parseInput } from "../../parse.ts";
import { MINUTE } from "../../time.ts";
import { RESET_LINK_MINUTES } from "../authenticator.ts";
import { findAccountByEmail } from "../queries.server.ts";
import { requestResetSchema } from "../schemas.ts";
import { resetUrlOf } from "./create-reset-link.server.ts";

/**
 * Mails a link for setting a new password. Without a mail server the mail stays in the outbox until its link expires; no
 * admin sees this link, because it would open the account (`createResetLink` makes another one, and is audited).
 *
 * @returns whether a mail server delivers the mail
 * @throws InvalidInputError when `email` is empty or has no '@'; DomainError 'user-not-found', 'user-disabled';
 *   'reset-rate-limited' when the address of the browser, or the account, has reached its limit
 */
export async function requestPasswordReset(ctx: Context, input: unknown): Promise<{ delivered: boolean }> {
  const browser = requireBrowser(ctx);
  const { email } = parseInput(requestResetSchema, input);
  const { authenticator, rateLimiter, mailTransport } = ctx.ports;
  await rateLimiter.consume("reset-address", browser.ipAddress);
  await rateLimiter.consume("reset-account", email);
  const account = await findAccountByEmail(ctx.db, email);
  if (account === undefined) throw new DomainError("user-not-found");
  if (!account.isActive) throw new DomainError("user-disabled");
  // When the process ends before the mail is queued, nobody knows the token and it expires.
  const token = await authenticator.makeResetToken(email);
  if (token === null) throw new DomainError("user-not-found");
  await inTransaction(ctx.db, async (tx) => {
    const facts = { resetUrl: resetUrlOf(ctx, token), validMinutes: RESET_LINK_MINUTES };
    const validUntil = new Date(ctx.clock.now().getTime() + RESET_LINK_MINUTES * MINUTE);
    await queueMail(ctx, tx, { to: email, kind: "password-reset", facts, validUntil });
    await recordAudit(ctx, tx, {
      action: "account.reset-requested",
      subjectType: "user",
      subjectId: account.id,
    });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
  return { delivered: mailTransport !== null };
}
