import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireBrowser, requireSignedIn } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { containsNul, parseInput, type UntrustedInput } from "../parse.ts";
import { endDevices } from "../take-over-account.server.ts";
import { MINUTE } from "../time.ts";
import { resetSignInLimits } from "./attempt-sign-in.server.ts";
import { RESET_LINK_MINUTES } from "./authenticator.ts";
import {
  findAccountByEmail,
  findAccountById,
  lockAccountByEmail,
  setEmailVerified,
  setOwnPassword,
} from "./queries.server.ts";
import { requestResetSchema, requireAcceptablePassword, resetPasswordSchema } from "./schemas.ts";

/**
 * Sets a new password with the token of a reset link and ends every session of the account, sessions of the browser extension
 * included. A link works once. A mail tells the person. Ten refused passwords of one account are allowed in 15 minutes.
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
  await setOwnPassword(ctx.db, userId);
  await release();
  // Whoever used the link reads the mail of this address. Without a mail server the owner has passed the link on.
  if (ctx.ports.mailTransport !== null) await setEmailVerified(ctx.db, userId);
  await resetSignInLimits(ctx, email);
  await rateLimiter.reset("reset-link-account", account.id);
  await inTransaction(ctx.db, async (tx) => {
    if ((await lockAccountByEmail(tx, email)) === undefined) throw new DomainError("invalid-reset-link");
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

/**
 * Mails a link for setting a new password. Without a mail server the mail stays in the outbox until its link expires; no
 * admin sees this link, because it would open the account (`createResetLink` makes another link, and is audited).
 *
 * @returns whether a mail server delivers the mail
 * @throws InvalidInputError when `email` is empty or has no '@'; DomainError 'user-not-found', 'user-disabled';
 *   'reset-rate-limited' when the address of the browser, or the account, has reached its limit
 */
export async function requestPasswordReset(ctx: Context, input: unknown): Promise<{ delivered: boolean }> {
  requireBrowser(ctx);
  const { browser } = ctx;
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
    // A mail about an account that is deleted meanwhile would keep its address.
    if ((await lockAccountByEmail(tx, email)) === undefined) throw new DomainError("user-not-found");
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

/** `requestPasswordReset` for the signed-in account. @throws DomainError 'unauthenticated' */
export async function requestOwnPasswordReset(ctx: Context): Promise<{ delivered: boolean }> {
  requireSignedIn(ctx, "own-account");
  return requestPasswordReset(ctx, { email: ctx.actor.email });
}

const createResetLinkInput = z.object({ userId: z.uuid() });

interface ResetLink {
  resetUrl: string;
  /** From now on. */
  validMinutes: number;
}

/**
 * A link with which a user sets a new password, for an admin who passes it on. Only for a shop without a mail server:
 * otherwise the user gets the link by mail, and no admin sees it, because it opens the account. Audited, without the link.
 *
 * @throws DomainError 'unauthenticated', 'forbidden' (also with a mail server, and for an admin's account),
 *   'password-needed', 'invalid-input', 'not-found', 'user-disabled'
 */
export async function createResetLink(
  ctx: Context,
  input: z.input<typeof createResetLinkInput> | UntrustedInput,
): Promise<ResetLink> {
  requireAdmin(ctx, "reveals-secret");
  const { userId } = parseInput(createResetLinkInput, input);
  const { authenticator, mailTransport } = ctx.ports;
  const account = await findAccountById(ctx.db, userId);
  if (account === undefined) throw new DomainError("not-found");
  if (mailTransport !== null || account.role === "admin") throw new DomainError("forbidden");
  if (!account.isActive) throw new DomainError("user-disabled");
  // Before the link exists: without the event nobody gets it.
  await recordAudit(ctx, ctx.db, {
    action: "user.reset-link-created",
    subjectType: "user",
    subjectId: userId,
  });
  const token = await authenticator.makeResetToken(account.email);
  if (token === null) throw new DomainError("not-found");
  return { resetUrl: resetUrlOf(ctx, token), validMinutes: RESET_LINK_MINUTES };
}

/** The address of the page that sets a new password. */
function resetUrlOf({ store }: Context, token: string): string {
  return `${store.origin}/reset-password?token=${encodeURIComponent(token)}`;
}

/**
 * The account that a reset link is for: its email address, and whether it is an admin's, whose password has a rule of its own.
 * null for a link that is not valid: used, expired, or of an account that is not active. The link stays valid.
 *
 * @throws DomainError 'forbidden' without a browser
 */
export async function readResetLink(
  ctx: Context,
  input: unknown,
): Promise<{ email: string; isAdmin: boolean } | null> {
  requireBrowser(ctx);
  const parsed = resetPasswordSchema.pick({ token: true }).safeParse(input);
  // The token comes from the URL. Input that cannot be a token is an invalid link, not an error.
  if (!parsed.success || parsed.data.token === "" || containsNul(parsed.data.token)) return null;
  const owner = await ctx.ports.authenticator.findResetToken(parsed.data.token);
  const account = owner ? await findAccountById(ctx.db, owner.userId) : undefined;
  return account?.isActive ? { email: account.email, isAdmin: account.role === "admin" } : null;
}
