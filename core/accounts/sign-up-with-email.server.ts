import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { normaliseEmail } from "./form-rules.ts";
import { requireBrowser } from "./require-browser.ts";
import { credentialsSchema, requireGoodPassword } from "./schemas.ts";
import { noteSignIn, type SignedInUser } from "./signed-in-user.server.ts";

/**
 * Makes an account with e-mail and password, and signs it in. The admin's address cannot be signed up: to others it
 * looks as if it were in use, whether or not its account exists yet.
 *
 * @throws DomainError 'email-in-use', 'weak-password', 'common-password', 'invalid-email', 'sign-up-rate-limited',
 *   'sign-in-busy'
 */
export async function signUpWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  const browser = requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  requireGoodPassword(password, "user");
  await ctx.ports.rateLimiter.consume("sign-up-address", browser.ipAddress);
  if (email === normaliseEmail(ctx.store.adminEmail)) throw new DomainError("email-in-use");
  const { authenticator } = ctx.ports;
  const passwordHash = await hashUnlessBusy(ctx, password, browser.ipAddress);
  const made = await inTransaction(ctx.db, async (tx) => {
    const account = await authenticator.createAccount(tx, { email, passwordHash });
    await recordAudit(ctx, tx, {
      action: "account.signed-up",
      subjectType: "user",
      subjectId: account.userId,
    });
    return account;
  });
  return noteSignIn(ctx, await authenticator.startSession(made, browser));
}

/** A sign-up refused because the shop is busy does not count against the address. */
async function hashUnlessBusy(ctx: Context, password: string, ipAddress: string): Promise<string> {
  try {
    return await ctx.ports.authenticator.hashPassword(password);
  } catch (error) {
    if (isDomainError(error, "sign-in-busy"))
      await ctx.ports.rateLimiter.giveBack("sign-up-address", ipAddress);
    throw error;
  }
}
