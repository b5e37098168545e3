import { inTransaction } from "#db/transaction.ts";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { NAME_MAXIMUM } from "../form-rules.ts";
import { findAccountByEmail, mergeProfile } from "../queries.server.ts";
import { cleanName, parseEmail } from "../schemas.ts";
import { recordFailedSignIn } from "../sign-in/attempt-sign-in.server.ts";
import { recordSignIn, type SignedInUser } from "../sign-in/record-sign-in.server.ts";
import { findAccountOfIdentity } from "./find-account-of-identity.server.ts";
import type { ProviderIdentity, SignInAttempt } from "./identity-provider.ts";
import { requireIdentityProvider } from "./start-google-sign-in.server.ts";

/** Refusals of a person whom the provider has confirmed. */
const AUDITED_REFUSALS = [
  "user-disabled",
  "google-account-differs",
  "google-email-differs",
  "google-needs-password",
  "password-sign-in-only",
] as const;

/** The attempt that the browser has begun, and the cookie that ends it; null when there is none. */
export function readGoogleAttempt(ctx: Context): { attempt: SignInAttempt; setCookie: string } | null {
  const browser = requireBrowser(ctx);
  const provider = ctx.ports.identityProvider;
  const attempt = provider?.readAttempt(browser) ?? null;
  return provider === null || attempt === null ? null : { attempt, setCookie: provider.endAttempt() };
}

/**
 * Signs in with the answer of the provider. Its address must be verified. An unknown person gets a new account; the address of
 * an account with a password is linked to it, see `findAccountOfIdentity`. Somebody who is signed in connects Google to the own
 * account. Failed attempts count for the limit of the address.
 *
 * @throws DomainError 'sign-in-method-disabled', 'sign-in-cancelled', 'authentication-failed', 'identity-not-yet-valid', 'email-not-verified',
 *   'user-disabled', 'google-account-differs', 'google-email-differs', 'google-needs-password', 'password-sign-in-only', 'sign-in-rate-limited', 'sign-up-rate-limited'; Error
 *   when the provider cannot be reached
 */
export async function finishGoogleSignIn(ctx: Context, answer: URL): Promise<SignedInUser> {
  const browser = requireBrowser(ctx);
  const provider = requireIdentityProvider(ctx);
  const { authenticator, rateLimiter } = ctx.ports;
  // Pictures of another site can ask for this address in a visitor's browser, but without the cookie of an attempt.
  if (provider.readAttempt(browser) === null) throw new DomainError("authentication-failed");
  await rateLimiter.consume("sign-in-address", browser.ipAddress);
  const identity = await provider.finish(answer, browser);
  if (!identity.emailVerified) throw new DomainError("email-not-verified");
  const email = parseEmail(identity.email);
  try {
    const userId = await findOrCreate(ctx, { ...identity, email }, browser.ipAddress);
    const signedIn = await authenticator.startSession({ userId }, browser);
    await rateLimiter.undoConsume("sign-in-address", browser.ipAddress);
    await keepProfile(ctx, userId, identity);
    return await recordSignIn(ctx, signedIn, "google");
  } catch (error) {
    const refusal = AUDITED_REFUSALS.find((code) => isDomainError(error, code));
    if (refusal !== undefined)
      await recordFailedSignIn(ctx, "account.sign-in-failed", {
        email,
        reason: refusal,
        ipAddress: browser.ipAddress,
      });
    throw error;
  }
}

async function findOrCreate(ctx: Context, identity: ProviderIdentity, ipAddress: string): Promise<string> {
  const { authenticator, rateLimiter } = ctx.ports;
  // Before the transaction, because the limiter needs a connection of its own.
  const isKnown =
    (await authenticator.findGoogleAccount(ctx.db, identity)) !== null ||
    (await findAccountByEmail(ctx.db, identity.email)) !== undefined;
  if (!isKnown) await rateLimiter.consume("sign-up-address", ipAddress);
  const signedInAs = ctx.actor.kind === "user" ? ctx.actor.userId : null;
  const find = () => inTransaction(ctx.db, (tx) => findAccountOfIdentity(ctx, tx, identity, signedInAs));
  try {
    return await find();
  } catch (error) {
    // Another request has just created the account of this address.
    if (isDomainError(error, "email-in-use")) return find();
    throw error;
  }
}

/** Keeps the photo of the provider, and its name for an account without one. A failed write is only logged. */
async function keepProfile(
  ctx: Context,
  userId: string,
  { displayName, photoUrl }: Pick<ProviderIdentity, "displayName" | "photoUrl">,
): Promise<void> {
  try {
    await mergeProfile(ctx.db, userId, {
      displayName: cutName(cleanName(displayName)),
      photoUrl,
    });
  } catch (error) {
    ctx.log.warn({ userId, err: error }, "profile of the provider not stored");
  }
}

/** Nobody can be asked for a shorter one. A character of two code units is not cut in half. */
function cutName(name: string): string {
  return name.slice(0, NAME_MAXIMUM).replace(/[\uD800-\uDBFF]$/, "");
}
