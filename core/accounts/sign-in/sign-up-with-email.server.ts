import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser } from "../../authorise.ts";
import { readStoreSettings } from "../../catalog/store-settings.server.ts";
import type { Context } from "../../context.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { parseInput } from "../../parse.ts";
import type { BrowserRequest, SignedIn } from "../authenticator.ts";
import { normaliseEmail } from "../form-rules.ts";
import { credentialsSchema, requireAcceptablePassword } from "../schemas.ts";
import { recordSignIn, type SignedInUser } from "./record-sign-in.server.ts";

/**
 * Creates an account with email and password, and signs it in. The admin's email is always refused as 'email-in-use',
 * also before the admin's account exists.
 *
 * @throws DomainError 'email-in-use', 'weak-password', 'common-password', 'guessable-password', 'invalid-email', 'sign-up-rate-limited',
 *   'sign-in-rate-limited' when the email was tried too often, 'sign-in-busy'
 */
export async function signUpWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  const browser = requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  const { name: shopName } = await readStoreSettings(ctx);
  requireAcceptablePassword(password, { role: "user", email, shopName });
  const { rateLimiter } = ctx.ports;
  await rateLimiter.consume("sign-up-address", browser.ipAddress);
  await rateLimiter.consume("sign-up-account", email);
  if (email === normaliseEmail(ctx.store.adminEmail)) throw new DomainError("email-in-use");
  const { authenticator } = ctx.ports;
  const passwordHash = await hashPassword(ctx, { email, password, ipAddress: browser.ipAddress });
  const created = await inTransaction(ctx.db, async (tx) => {
    const account = await authenticator.createAccount(tx, { email, passwordHash });
    await recordAudit(ctx, tx, {
      action: "account.signed-up",
      subjectType: "user",
      subjectId: account.userId,
      details: addressOf(ctx),
    });
    return account;
  });
  const signedIn = await startOwnSession(ctx, { ...created, passwordHash }, browser);
  return recordSignIn(ctx, signedIn, null);
}

/** Somebody whose address Google has verified may have taken the new account over already; then it is not ours. */
async function startOwnSession(
  { ports }: Context,
  account: { userId: string; passwordHash: string },
  browser: BrowserRequest,
): Promise<SignedIn> {
  try {
    return await ports.authenticator.startSession(account, browser);
  } catch (error) {
    throw isDomainError(error, "wrong-password")
      ? new DomainError("email-in-use", {}, { cause: error })
      : error;
  }
}

/** A sign-up that is refused as busy does not count. */
async function hashPassword(
  { ports }: Context,
  { email, password, ipAddress }: { email: string; password: string; ipAddress: string },
): Promise<string> {
  try {
    return await ports.authenticator.hashPassword(password);
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) {
      await ports.rateLimiter.undoConsume("sign-up-address", ipAddress);
      await ports.rateLimiter.undoConsume("sign-up-account", email);
    }
    throw error;
  }
}
