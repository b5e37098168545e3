import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { normaliseEmail } from "./form-rules.ts";
import { recordSignIn, type SignedInUser } from "./record-sign-in.server.ts";
import { credentialsSchema, requireAcceptablePassword } from "./schemas.ts";

/**
 * Creates an account with email and password, and signs it in. The admin's email is always refused as 'email-in-use',
 * also before the admin's account exists.
 *
 * @throws DomainError 'email-in-use', 'weak-password', 'common-password', 'invalid-email', 'sign-up-rate-limited',
 *   'sign-in-busy'
 */
export async function signUpWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  const browser = requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  requireAcceptablePassword(password, "user");
  await ctx.ports.rateLimiter.consume("sign-up-address", browser.ipAddress);
  if (email === normaliseEmail(ctx.store.adminEmail)) throw new DomainError("email-in-use");
  const { authenticator } = ctx.ports;
  const passwordHash = await hashPassword(ctx, password, browser.ipAddress);
  const created = await inTransaction(ctx.db, async (tx) => {
    const account = await authenticator.createAccount(tx, { email, passwordHash });
    await recordAudit(ctx, tx, {
      action: "account.signed-up",
      subjectType: "user",
      subjectId: account.userId,
    });
    return account;
  });
  return recordSignIn(ctx, await authenticator.startSession(created, browser));
}

/** A sign-up that is refused as busy does not count for the address. */
async function hashPassword(ctx: Context, password: string, ipAddress: string): Promise<string> {
  try {
    return await ctx.ports.authenticator.hashPassword(password);
  } catch (error) {
    if (isDomainError(error, "sign-in-busy"))
      await ctx.ports.rateLimiter.undoConsume("sign-up-address", ipAddress);
    throw error;
  }
}
