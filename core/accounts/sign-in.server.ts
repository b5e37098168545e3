import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireBrowser } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DomainError, type ErrorCode, isDomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import type { LimitKey, LimitName } from "../rate-limits/rate-limits.ts";
import { countMistakes, normaliseEmail } from "../typed-text.ts";
import { attemptSignIn, recordSignIn, type SignedInUser } from "./attempt-sign-in.server.ts";
import type { BrowserRequest, SignedIn } from "./authenticator.ts";
import { countNewAccount } from "./count-new-account.server.ts";
import { findAccountByEmail, findAccountById } from "./queries.server.ts";
import { credentialsSchema, newAccountSchema, requireAcceptablePassword } from "./schemas.ts";

/** Codes that the inline form reports too. */
const REPORTED_BY_BOTH_FORMS = new Set<ErrorCode>([
  "invalid-admin-credentials",
  "forbidden",
  "sign-in-busy",
  "sign-in-rate-limited",
]);

const formSchema = z.object({ form: z.enum(["page", "inline"]) });

/**
 * Signs in with email and password, within the limits of `attemptSignIn`.
 *
 * @throws DomainError 'user-not-found', 'wrong-password', 'user-disabled', 'invalid-email', 'sign-in-rate-limited',
 *   'sign-in-busy'
 */
export async function signInWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  const signedIn = await attemptSignIn(ctx, { email, failedAction: "account.sign-in-failed" }, (browser) =>
    ctx.ports.authenticator.signInEmail({ email, password }, browser),
  );
  return recordSignIn(ctx, signedIn, "password", password);
}

/**
 * Creates an account with email and password, and signs it in. The admin's email is always refused as 'email-in-use',
 * also before the admin's account exists.
 *
 * @throws DomainError 'email-in-use', 'weak-password', 'common-password', 'guessable-password', 'invalid-email',
 *   'sign-up-rate-limited', 'sign-in-rate-limited' when the email was tried too often, 'sign-in-busy', 'email-like-known'
 *   unless `confirmedEmail` is the email too
 */
export async function signUpWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  requireBrowser(ctx);
  const { browser } = ctx;
  const { email, password, confirmedEmail } = parseInput(newAccountSchema, input);
  const { name: shopName } = await readStoreSettings(ctx);
  requireAcceptablePassword(password, { role: "user", email, shopName });
  const passwordHash = await countSignUp(ctx, { email, ipAddress: browser.ipAddress }, async () => {
    const isTaken =
      email === normaliseEmail(ctx.store.adminEmail) ||
      (await findAccountByEmail(ctx.db, email)) !== undefined;
    if (isTaken) throw new DomainError("email-in-use");
    if (confirmedEmail !== email) await askAboutTypingMistake(ctx, browser, email);
    return ctx.ports.authenticator.hashPassword(password);
  });
  const created = await countNewAccount(ctx, browser.ipAddress, () =>
    createAccount(ctx, { email, passwordHash }),
  );
  const signedIn = await startOwnSession(ctx, { ...created, passwordHash }, browser);
  return recordSignIn(ctx, signedIn, null);
}

/**
 * Asks before it creates an account whose address differs by one letter from an account that has signed in with this browser.
 * Such an address is mostly a typing mistake, and a second account would not have what the first one has bought.
 */
async function askAboutTypingMistake(
  ctx: AuthorisedContext,
  browser: BrowserRequest,
  email: string,
): Promise<void> {
  for (const { userId } of ctx.ports.authenticator.knownAccounts(browser)) {
    const known = await findAccountById(ctx.db, userId);
    if (known !== undefined && countMistakes(known.email, email) === 1)
      throw new DomainError("email-like-known", { email: known.email, typed: email });
  }
}

async function createAccount(ctx: AuthorisedContext, account: { email: string; passwordHash: string }) {
  return inTransaction(ctx.db, async (tx) => {
    const { userId } = await ctx.ports.authenticator.createAccount(tx, account);
    await recordAudit(ctx, tx, {
      action: "account.signed-up",
      subjectType: "user",
      subjectId: userId,
      details: addressOf(ctx),
    });
    return { userId, isNew: true };
  });
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

/**
 * Counts a sign-up for the network and for the email. A sign-up that is refused as busy counts for neither, and a sign-up that
 * the limit of the email refuses does not count for the network: an email that is tried over and over blocks nobody else there.
 */
async function countSignUp<Result>(
  { ports: { rateLimiter } }: Context,
  { email, ipAddress }: { email: string; ipAddress: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const limits: [LimitName, LimitKey][] = [
    ["sign-up-attempt-address", ipAddress],
    ["sign-up-account", email],
  ];
  const counted: typeof limits = [];
  try {
    for (const [limit, key] of limits) {
      await rateLimiter.consume(limit, key);
      counted.push([limit, key]);
    }
    return await attempt();
  } catch (error) {
    if (isDomainError(error, "sign-in-rate-limited") || isDomainError(error, "sign-in-busy"))
      for (const [limit, key] of counted) await rateLimiter.undoConsume(limit, key);
    throw error;
  }
}

/**
 * Signs in an admin. The correct password of any other account is refused as 'invalid-admin-credentials' and starts no
 * session. The inline form of the admin panel reports most other refusals as 'invalid-credentials'; the page reports
 * each with its own code.
 *
 * @throws DomainError 'invalid-admin-credentials', 'sign-in-busy', 'sign-in-rate-limited'; 'invalid-credentials' (inline);
 *   'user-not-found', 'wrong-password', 'user-disabled', 'invalid-email' (page)
 */
export async function signInAdmin(ctx: Context, input: unknown): Promise<SignedInUser> {
  const { form } = parseInput(formSchema, input);
  try {
    return await signIn(ctx, input);
  } catch (error) {
    throw form === "inline" && isDomainError(error) && !REPORTED_BY_BOTH_FORMS.has(error.code)
      ? new DomainError("invalid-credentials", {}, { cause: error })
      : error;
  }
}

async function signIn(ctx: Context, input: unknown): Promise<SignedInUser> {
  requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  const { authenticator } = ctx.ports;
  const signedIn = await attemptSignIn(
    ctx,
    { email, failedAction: "admin.sign-in-failed" },
    async (browser) => {
      const account = await findAccountByEmail(ctx.db, email);
      if (account !== undefined && account.role !== "admin") {
        await authenticator.checkPassword({ email, password });
        throw new DomainError("invalid-admin-credentials");
      }
      return authenticator.signInEmail({ email, password }, browser);
    },
  );
  return recordSignIn(ctx, signedIn, "password", password);
}
