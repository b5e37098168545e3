import { eq } from "drizzle-orm";
import { z } from "zod";
import { sessions } from "#db/tables/accounts.ts";
import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireSignedIn } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { resetSignInLimits } from "./attempt-sign-in.server.ts";
import { endDevices } from "./manage-users.server.ts";
import { deleteSessions, lockAccountByEmail, setPasswordEnteredAt } from "./queries.server.ts";
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
 * @throws DomainError unauthenticated (also when the session has ended meanwhile), wrong-password (also of an account without
 *   a password), weak-password, common-password, guessable-password, same-password, sign-in-rate-limited, sign-in-busy, invalid-input
 */
export async function changePassword(
  ctx: Context,
  input: z.input<typeof changePasswordInput> | UntrustedInput,
): Promise<void> {
  const { kind, userId, email, sessionId } = requireSignedIn(ctx, "own-account");
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

/** Every attempt counts until its passwords were found to be right. An attempt that is refused as busy does not count. */
async function checkAndHash(
  ctx: Context,
  attempt: { userId: string; email: string; password: string; newPassword: string },
): Promise<{ checkedHash: string; passwordHash: string }> {
  const { authenticator, rateLimiter } = ctx.ports;
  const { userId, email, password, newPassword } = attempt;
  await rateLimiter.consume("password-change", userId);
  try {
    const { passwordHash: checkedHash } = await authenticator.checkPassword({ email, password });
    if (newPassword === password) throw new DomainError("same-password");
    const passwordHash = await authenticator.hashPassword(newPassword);
    await rateLimiter.reset("password-change", userId);
    return { checkedHash, passwordHash };
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) await rateLimiter.undoConsume("password-change", userId);
    if (isDomainError(error, "wrong-password")) {
      await recordAudit(ctx, ctx.db, {
        action: "account.password-change-failed",
        subjectType: "user",
        subjectId: userId,
        details: addressOf(ctx),
      });
    }
    throw error;
  }
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
  const { userId, email, sessionId } = requireAdmin(ctx, "own-account");
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
