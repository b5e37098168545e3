import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireBrowser } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DomainError, type ErrorCode, isDomainError } from "../errors.ts";
import type { LimitKey, LimitName } from "../rate-limits/rate-limits.ts";
import type { BrowserRequest, SignedIn } from "./authenticator.ts";
import { findPasswordProblem } from "./password-rules.ts";
import {
  type Account,
  deleteSessions,
  findAccountByEmail,
  findAccountById,
  setLastLogin,
} from "./queries.server.ts";

/** Refusals of an attempt whose credentials were checked. */
const AUDITED_REFUSALS = new Set<ErrorCode>([
  "user-not-found",
  "wrong-password",
  "user-disabled",
  "invalid-admin-credentials",
]);

/** One count of an attempt. A success resets it, takes the attempt back, or leaves it. */
interface Counter {
  limit: LimitName;
  key: LimitKey;
  onSuccess: "reset" | "undo" | "keep";
}

/**
 * Runs one sign-in within the rate limits. A browser that has signed in to the account before has a counter of its own,
 * so that strangers who guess the password cannot keep its owner out. Any other attempt counts for the address, for the
 * account at this address, and for the account. All counts happen before the password is checked. An attempt that is
 * refused as busy does not count, because no password was checked.
 *
 * Failed sign-ins are audited. Attempts that a rate limit refuses are not, so the limits bound the number of rows.
 *
 * @param failedAction the audit action of a failed sign-in
 * @param check checks the password; its errors are thrown on
 * @throws DomainError 'forbidden' without a browser; 'sign-in-rate-limited'; the errors of `check`
 */
export async function attemptSignIn<Result>(
  ctx: Context,
  { email, failedAction }: { email: string; failedAction: "account.sign-in-failed" | "admin.sign-in-failed" },
  check: (browser: BrowserRequest) => Promise<Result>,
): Promise<Result> {
  requireBrowser(ctx);
  const { browser } = ctx;
  const { rateLimiter } = ctx.ports;
  const counters = await chooseCounters(ctx, browser, email);
  for (const { limit, key } of counters) await rateLimiter.consume(limit, key);
  try {
    const result = await check(browser);
    for (const { limit, key, onSuccess } of counters) {
      if (onSuccess === "reset") await rateLimiter.reset(limit, key);
      if (onSuccess === "undo") await rateLimiter.undoConsume(limit, key);
    }
    return result;
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) {
      for (const { limit, key } of counters) await rateLimiter.undoConsume(limit, key);
    }
    if (error instanceof DomainError && AUDITED_REFUSALS.has(error.code)) {
      await recordFailedSignIn(ctx, failedAction, {
        email,
        reason: error.code,
        ipAddress: browser.ipAddress,
      });
    }
    throw error;
  }
}

async function chooseCounters(
  ctx: AuthorisedContext,
  browser: BrowserRequest,
  email: string,
): Promise<Counter[]> {
  const known = ctx.ports.authenticator.knownAccounts(browser);
  const account = known.length > 0 ? await findAccountByEmail(ctx.db, email) : undefined;
  const own = known.find(({ userId }) => userId === account?.id);
  if (own) {
    const key = { account: email, from: own.browserId };
    return [{ limit: "sign-in-known-browser", key, onSuccess: "reset" }];
  }
  const address = browser.ipAddress;
  return [
    { limit: "sign-in-address", key: address, onSuccess: "keep" },
    { limit: "sign-in-account-at-address", key: { account: email, from: address }, onSuccess: "reset" },
    // The last one, so that attempts which the limit of the address refuses do not use it up.
    { limit: "sign-in-account", key: email, onSuccess: "undo" },
  ];
}

/**
 * Audits a failed sign-in. Never throws: an error of the audit must not replace the refusal of the sign-in. Stores nothing that
 * was typed: an email without an account may be a password in the wrong field.
 */
export async function recordFailedSignIn(
  ctx: AuthorisedContext,
  action: string,
  { email, reason, ipAddress }: { email: string; reason: ErrorCode; ipAddress: string },
): Promise<void> {
  try {
    const account = await findAccountByEmail(ctx.db, email);
    await recordAudit(ctx, ctx.db, {
      action,
      subjectType: "user",
      ...(account && { subjectId: account.id }),
      details: { reason, ipAddress },
    });
  } catch (error) {
    ctx.log.error({ err: error, action, reason }, "failed sign-in not audited");
  }
}

/** Sets the counts of failed sign-ins of an account to zero, because it has a new password. */
export async function resetSignInLimits({ ports }: AuthorisedContext, email: string): Promise<void> {
  await ports.rateLimiter.reset("sign-in-account", email);
  await ports.rateLimiter.resetAccount("sign-in-account-at-address", email);
  await ports.rateLimiter.resetAccount("sign-in-known-browser", email);
}

/** The account that has signed in, and the cookies for the response. */
export interface SignedInUser {
  user: { id: string; email: string; displayName: string; role: "user" | "admin" };
  setCookies: string[];
}

/**
 * Audits the sign-in with its address, stores its time and the language of the browser, and returns the account. Ends the
 * session that the browser had before, of whatever account. A failed write of the time and the language is only logged.
 *
 * @param method null: the sign-up is audited already
 * @param password an admin's is checked by the rules for a new one: the event says whether it is weak, and the checklist then
 *   asks for another password
 */
export async function recordSignIn(
  ctx: AuthorisedContext,
  { userId, setCookies }: SignedIn,
  method: "password" | "google" | null,
  password: string | null = null,
): Promise<SignedInUser> {
  const found = await findAccountById(ctx.db, userId);
  if (found === undefined) throw new DomainError("user-not-found");
  if (method !== null) {
    await recordAudit(ctx, ctx.db, {
      action: found.role === "admin" ? "admin.signed-in" : "account.signed-in",
      subjectType: "user",
      subjectId: userId,
      details: { method, ...((await isWeak(ctx, found, password)) && { isWeak: true }), ...addressOf(ctx) },
    });
  }
  try {
    await setLastLogin(ctx.db, userId, { at: ctx.clock.now(), language: ctx.browser?.language });
  } catch (error) {
    ctx.log.warn({ userId, err: error }, "time and language of sign-in not recorded");
  }
  // At the end, because the open pages of this browser hear of it and load again.
  const { actor } = ctx;
  if (actor.kind === "user" || actor.kind === "admin")
    await deleteSessions(ctx.db, actor.userId, { only: actor.sessionId });
  const { id, email, displayName, role } = found;
  return { user: { id, email, displayName, role }, setCookies };
}

/** Whether an admin's password would be refused as a new one. */
async function isWeak(
  ctx: AuthorisedContext,
  { role, email }: Account,
  password: string | null,
): Promise<boolean> {
  if (role !== "admin" || password === null) return false;
  const { name: shopName } = await readStoreSettings(ctx);
  return findPasswordProblem(password, { role, email, shopName }) !== undefined;
}
