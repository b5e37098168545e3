import { eq } from "drizzle-orm";
import { z } from "zod";
import { sessions } from "#db/tables/accounts.ts";
import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, PASSWORD_VALID_MS, requireAdmin, requireSignedIn } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError, isDomainError } from "../errors.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { endDevices } from "../take-over-account.server.ts";
import { resetSignInLimits } from "./attempt-sign-in.server.ts";
import {
  deleteSessions,
  findSessionStart,
  lockAccountByEmail,
  setOwnPassword,
  setPasswordEnteredAt,
} from "./queries.server.ts";
import { PASSWORD_MISSING } from "./rules.ts";
import { credentialsSchema, requireAcceptablePassword } from "./schemas.ts";

const changePasswordInput = z.object({
  password: z.string({ error: PASSWORD_MISSING }).min(1, PASSWORD_MISSING),
  newPassword: z.string({ error: PASSWORD_MISSING }).min(1, PASSWORD_MISSING),
});

const confirmPasswordInput = credentialsSchema.pick({ password: true });

/**
 * A signed-in person replaces the password. The session of the request stays. Every other session, every reset link and
 * every device of the extension ends, as with a reset. A mail tells the person. Ten attempts without a change are allowed to
 * one account in 15 minutes. A wrong password is audited.
 *
 * @param input `password`: the current one
 * @throws DomainError unauthenticated (also when the session has ended meanwhile), wrong-password (also of an account without a
 *   password), weak-password, common-password, guessable-password, same-password, sign-in-rate-limited, sign-in-busy,
 *   invalid-input
 */
export async function changePassword(
  ctx: Context,
  input: z.input<typeof changePasswordInput> | UntrustedInput,
): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { kind, userId, email, sessionId } = ctx.actor;
  const { password, newPassword } = parseInput(changePasswordInput, input);
  const { name: shopName } = await readStoreSettings(ctx);
  requireAcceptablePassword(newPassword, { role: kind, email, shopName }, "newPassword");
  const { authenticator } = ctx.ports;
  const { checkedHash, passwordHash } = await checkAndHash(ctx, { userId, email, password, newPassword });
  await inTransaction(ctx.db, async (tx) => {
    // The start of a session waits for this lock, and then sees the new password.
    await lockAccountByEmail(tx, email);
    const [current] = await tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .for("update");
    if (current === undefined) throw new DomainError("unauthenticated");
    await authenticator.replacePassword(tx, { userId, checkedHash, passwordHash });
    await setOwnPassword(tx, userId);
    await deleteSessions(tx, userId, { except: sessionId });
    await endDevices(ctx, tx, userId);
    await recordAudit(ctx, tx, {
      action: "account.password-changed",
      subjectType: "user",
      subjectId: userId,
      details: addressOf(ctx),
    });
    await queueMail(ctx, tx, { to: email, kind: "password-changed", facts: { email } });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
  await resetSignInLimits(ctx, email);
}

/** Every attempt counts until its passwords were found to be right. */
function checkAndHash(
  ctx: AuthorisedContext,
  attempt: { userId: string; email: string; password: string; newPassword: string },
): Promise<{ checkedHash: string; passwordHash: string }> {
  const { password, newPassword } = attempt;
  return withOwnPassword(ctx, attempt, "account.password-change-failed", async (checkedHash) => {
    if (newPassword === password) throw new DomainError("same-password");
    return { checkedHash, passwordHash: await ctx.ports.authenticator.hashPassword(newPassword) };
  });
}

/**
 * Checks the password of one's own account, and then runs `work` with its stored hash. An attempt counts until both have
 * succeeded; an attempt that is refused as busy does not count. A wrong password is audited.
 *
 * @param failedAction the audit action of a wrong password
 * @throws DomainError wrong-password, sign-in-rate-limited, sign-in-busy
 */
async function withOwnPassword<Result>(
  ctx: AuthorisedContext,
  { userId, email, password }: { userId: string; email: string; password: string },
  failedAction: string,
  work: (checkedHash: string) => Promise<Result>,
): Promise<Result> {
  const { authenticator, rateLimiter } = ctx.ports;
  await rateLimiter.consume("password-change", userId);
  try {
    const { passwordHash } = await authenticator.checkPassword({ email, password });
    const result = await work(passwordHash);
    await rateLimiter.reset("password-change", userId);
    return result;
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) await rateLimiter.undoConsume("password-change", userId);
    if (isDomainError(error, "wrong-password")) {
      await recordAudit(ctx, ctx.db, {
        action: failedAction,
        subjectType: "user",
        subjectId: userId,
        details: addressOf(ctx),
      });
    }
    throw error;
  }
}

/**
 * Makes sure that the owner of the account asks for a deletion or for the stored data: by the password, in each request; in an
 * account without a password, by a sign-in with Google of at most 15 minutes ago. The attempts count together with those to
 * change the password.
 *
 * @param input.password empty in an account without one
 * @throws DomainError unauthenticated, wrong-password, google-sign-in-needed, sign-in-rate-limited, sign-in-busy, invalid-input
 */
export async function confirmOwner(ctx: Context, input: { password: string }): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { userId, email, sessionId } = ctx.actor;
  const { password } = input;
  if (!(await ctx.ports.authenticator.hasPassword(ctx.db, { userId }))) {
    if (await isSignedInRecently(ctx)) return;
    const isRunning = (await findSessionStart(ctx.db, sessionId)) !== undefined;
    throw new DomainError(isRunning ? "google-sign-in-needed" : "unauthenticated");
  }
  if (password === "") throw new InvalidInputError({ password: [PASSWORD_MISSING] });
  try {
    const attempt = { userId, email, password };
    await withOwnPassword(ctx, attempt, "account.owner-confirmation-failed", async () => undefined);
  } catch (error) {
    // The account was deleted at the same time.
    throw isDomainError(error, "user-not-found") ? new DomainError("unauthenticated") : error;
  }
}

/** Whether the session of the request began at most 15 minutes ago. @throws DomainError unauthenticated */
export async function isSignedInRecently(ctx: Context): Promise<boolean> {
  requireSignedIn(ctx, "reads");
  const { sessionId } = ctx.actor;
  const startedAt = await findSessionStart(ctx.db, sessionId);
  return startedAt !== undefined && ctx.clock.now().getTime() - startedAt.getTime() <= PASSWORD_VALID_MS;
}

/**
 * The admin enters the password again, in the session of the request. For the next 15 minutes `requireAdmin`
 * accepts this session for every effect. Ten wrong passwords in one session are allowed in 15 minutes, and each is audited.
 *
 * @throws DomainError unauthenticated, forbidden, wrong-password, sign-in-rate-limited, sign-in-busy, invalid-input
 */
export async function confirmPassword(
  ctx: Context,
  input: z.input<typeof confirmPasswordInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "own-account");
  const { userId, email, sessionId } = ctx.actor;
  const { password } = parseInput(confirmPasswordInput, input);
  const { authenticator, rateLimiter } = ctx.ports;
  await rateLimiter.consume("password-confirmation", sessionId);
  try {
    await authenticator.checkPassword({ email, password });
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) {
      await rateLimiter.undoConsume("password-confirmation", sessionId);
    }
    if (isDomainError(error, "wrong-password")) {
      await recordAudit(ctx, ctx.db, {
        action: "admin.password-confirmation-failed",
        subjectType: "user",
        subjectId: userId,
        details: addressOf(ctx),
      });
    }
    throw error;
  }
  await rateLimiter.reset("password-confirmation", sessionId);
  await setPasswordEnteredAt(ctx.db, sessionId, ctx.clock.now());
}
