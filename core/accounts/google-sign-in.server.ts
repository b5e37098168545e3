import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { shopPath } from "../form-fields.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { parseInput } from "../parse.ts";
import { takeOverAccount } from "../take-over-account.server.ts";
import { normaliseEmail } from "../typed-text.ts";
import { recordFailedSignIn, recordSignIn, type SignedInUser } from "./attempt-sign-in.server.ts";
import { countNewAccount } from "./count-new-account.server.ts";
import {
  GOOGLE_CALLBACK_PATH,
  type IdentityProvider,
  type ProviderIdentity,
  type SignInAttempt,
} from "./identity-provider.ts";
import {
  type Account,
  findAccountByEmail,
  findAccountById,
  lockAccountByEmail,
  mergeProfile,
  setLanguage,
  setVerifiedByGoogle,
} from "./queries.server.ts";
import { NAME_MAXIMUM } from "./rules.ts";
import { cleanName, parseEmail } from "./schemas.ts";

const startInput = z.object({
  mode: z.enum(["popup", "page"]).catch("page"),
  returnTo: shopPath,
  attemptId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .catch(""),
});

/** Refusals of a person whom the provider has confirmed. */
const AUDITED_REFUSALS = [
  "user-disabled",
  "google-account-differs",
  "google-email-differs",
  "google-needs-password",
  "password-sign-in-only",
] as const;

/**
 * Starts a sign-in with Google: the browser goes to `url` with the cookies.
 *
 * @param input `mode`, `returnTo` and `attemptId` of the attempt; anything invalid is replaced by a harmless value
 * @param origin where the browser has opened the shop
 * @throws DomainError 'sign-in-method-disabled' when no provider is configured, 'forbidden' without a browser; Error when the
 *   provider cannot be reached
 */
export async function startGoogleSignIn(
  ctx: Context,
  input: unknown,
  origin: string,
): Promise<{ url: string; setCookies: string[] }> {
  requireBrowser(ctx);
  const provider = requireIdentityProvider(ctx);
  const attempt = parseInput(startInput, input);
  const { url, setCookie } = await provider.start(attempt, `${origin}${GOOGLE_CALLBACK_PATH}`);
  return { url, setCookies: [setCookie] };
}

/** Whether a person can sign in with Google. @throws DomainError 'sign-in-method-disabled', 'forbidden' without a browser */
export function checkGoogleSignIn(ctx: Context): void {
  requireBrowser(ctx);
  requireIdentityProvider(ctx);
}

/** The attempt that the browser has begun, and the cookie that ends it; null when there is none. */
export function readGoogleAttempt(ctx: Context): { attempt: SignInAttempt; setCookie: string } | null {
  requireBrowser(ctx);
  const { browser } = ctx;
  const provider = ctx.ports.identityProvider;
  const attempt = provider?.readAttempt(browser) ?? null;
  return provider === null || attempt === null ? null : { attempt, setCookie: provider.endAttempt() };
}

/**
 * Signs in with the answer of the provider. Its address must be verified. An unknown person gets a new account; the address of
 * an account with a password is linked to it, see `findAccountOfIdentity`. Somebody who is signed in connects Google to the own
 * account. Failed attempts count for the limit of the address.
 *
 * @throws DomainError 'sign-in-method-disabled', 'sign-in-cancelled', 'authentication-failed', 'identity-not-yet-valid',
 *   'email-not-verified', 'user-disabled', 'google-account-differs', 'google-email-differs', 'google-needs-password',
 *   'password-sign-in-only', 'sign-in-rate-limited', 'sign-up-rate-limited'; Error when the provider cannot be reached
 */
export async function finishGoogleSignIn(ctx: Context, answer: URL): Promise<SignedInUser> {
  requireBrowser(ctx);
  const { browser } = ctx;
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

async function findOrCreate(
  ctx: AuthorisedContext,
  identity: ProviderIdentity,
  ipAddress: string,
): Promise<string> {
  const { authenticator } = ctx.ports;
  // Before the transaction, because the limiter needs a connection of its own.
  const isKnown =
    (await authenticator.findGoogleAccount(ctx.db, identity)) !== null ||
    (await findAccountByEmail(ctx.db, identity.email)) !== undefined;
  const signedInAs = ctx.actor.kind === "user" ? ctx.actor.userId : null;
  const find = () => inTransaction(ctx.db, (tx) => findAccountOfIdentity(ctx, tx, identity, signedInAs));
  const findAgain = async () => {
    try {
      return await find();
    } catch (error) {
      // Another request has just created the account of this address.
      if (isDomainError(error, "email-in-use")) return find();
      throw error;
    }
  };
  const { userId } = await (isKnown ? findAgain() : countNewAccount(ctx, ipAddress, findAgain));
  return userId;
}

interface AccountOfIdentity {
  userId: string;
  isNew: boolean;
}

const existing = (userId: string): AccountOfIdentity => ({ userId, isNew: false });

/**
 * The account of a person whose address the provider has verified, in the caller's transaction.
 *
 * - The person has signed in with Google before: that account, whatever its address is today.
 * - The address belongs to a verified account: Google becomes a second way to sign in to it, and a mail tells its owner.
 * - The address belongs to an account that nobody has verified: somebody else may have created it. The person takes it over:
 *   its password is removed, its sessions and devices end, and a mail tells the owner of the address.
 * - In both cases, when Google does not give out the addresses of that domain, the person has to be signed in to the account,
 *   because the address may have got another owner since Google has verified it.
 * - The address is unknown: a new account.
 *
 * An admin signs in with a password only, so Google neither opens nor creates the admin's account.
 *
 * @param identity its `email` in lower case
 * @param signedInAs the account that the browser is signed in to, if any: the person connects Google to it
 * @throws DomainError 'password-sign-in-only', 'user-disabled', 'google-account-differs', 'google-needs-password',
 *   'google-email-differs' for another account than `signedInAs`, 'email-in-use' when another request has created the account
 *   meanwhile
 */
async function findAccountOfIdentity(
  ctx: Context,
  tx: Transaction,
  identity: ProviderIdentity,
  signedInAs: string | null,
): Promise<AccountOfIdentity> {
  const { authenticator } = ctx.ports;
  const { email, issuer, subject } = identity;
  const isOther = (userId?: string) => signedInAs !== null && userId !== signedInAs;
  const linked = await authenticator.findGoogleAccount(tx, { issuer, subject });
  if (linked !== null) {
    const account = await findAccountById(tx, linked.userId);
    if (account?.role === "admin") throw new DomainError("password-sign-in-only");
    if (isOther(linked.userId)) throw new DomainError("google-email-differs");
    return existing(linked.userId);
  }
  if (email === normaliseEmail(ctx.store.adminEmail)) throw new DomainError("password-sign-in-only");
  const account = await lockAccountByEmail(tx, email);
  if (isOther(account?.id)) throw new DomainError("google-email-differs");
  if (account === undefined) return { userId: await createAccount(ctx, tx, identity), isNew: true };
  if (account.role === "admin") throw new DomainError("password-sign-in-only");
  if (!account.isActive) throw new DomainError("user-disabled");
  const other = await authenticator.findGoogleAccount(tx, { issuer, userId: account.id });
  // An address that was given to somebody else at Google does not open the account of its last owner.
  if (other !== null && other.subject !== subject) throw new DomainError("google-account-differs");
  if (other !== null) return existing(account.id);
  const mayLink = identity.isAuthoritative || signedInAs === account.id;
  if (!mayLink) throw new DomainError("google-needs-password");
  await link(ctx, tx, account, identity);
  return existing(account.id);
}

async function createAccount(ctx: Context, tx: Transaction, identity: ProviderIdentity): Promise<string> {
  const { userId } = await ctx.ports.authenticator.createGoogleAccount(tx, identity);
  await recordAudit(ctx, tx, {
    action: "account.signed-up",
    subjectType: "user",
    subjectId: userId,
    details: { provider: "google" },
  });
  return userId;
}

async function link(
  ctx: Context,
  tx: Transaction,
  account: Account & { emailVerified: boolean },
  { issuer, subject }: ProviderIdentity,
): Promise<void> {
  const { id: userId, email, emailVerified } = account;
  await ctx.ports.authenticator.linkGoogleAccount(tx, { userId, issuer, subject });
  // Before the mail, because whoever has created an account that is taken over may have read another language.
  if (ctx.browser?.language) await setLanguage(tx, userId, ctx.browser.language);
  if (emailVerified) {
    await queueMail(ctx, tx, { to: email, kind: "google-linked", facts: { email } });
    await recordAudit(ctx, tx, { action: "account.google-linked", subjectType: "user", subjectId: userId });
    return;
  }
  await takeOverAccount(ctx, tx, userId);
  await setVerifiedByGoogle(tx, userId);
  await queueMail(ctx, tx, { to: email, kind: "account-taken-over", facts: { email } });
}

/** Keeps the photo of the provider, and its name for an account without a name. A failed write is only logged. */
async function keepProfile(
  ctx: AuthorisedContext,
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

/** @throws DomainError 'sign-in-method-disabled' */
function requireIdentityProvider(ctx: Context): IdentityProvider {
  if (ctx.ports.identityProvider === null) throw new DomainError("sign-in-method-disabled");
  return ctx.ports.identityProvider;
}
