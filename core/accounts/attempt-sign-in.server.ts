import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { DomainError, type ErrorCode, isDomainError } from "../errors.ts";
import type { BrowserRequest } from "./authenticator.ts";
import { findAccountByEmail } from "./queries.server.ts";
import { requireBrowser } from "./require-browser.ts";

/** What counts as a failed sign-in: the attempt was looked at, and the person did not get in. */
const FAILURES = new Set<ErrorCode>([
  "user-not-found",
  "wrong-password",
  "user-disabled",
  "invalid-admin-credentials",
]);

/**
 * Runs one sign-in within the limits: every attempt counts against the browser's address and the account before the
 * password is looked at; a success clears the account's count. An attempt refused because the shop is busy counts
 * against neither, because no password was checked.
 *
 * A failed sign-in is audited. The limits bound how many rows that makes: an attempt they refuse writes none.
 *
 * @param failedAction the audit action of a failure
 * @param check proves the password; what it throws is the answer
 * @throws DomainError 'forbidden' without a browser; 'sign-in-rate-limited'; whatever `check` throws
 */
export async function attemptSignIn<Result>(
  ctx: Context,
  { email, failedAction }: { email: string; failedAction: "account.sign-in-failed" | "admin.sign-in-failed" },
  check: (browser: BrowserRequest) => Promise<Result>,
): Promise<Result> {
  const browser = requireBrowser(ctx);
  const { rateLimiter } = ctx.ports;
  await rateLimiter.consume("sign-in-address", browser.ipAddress);
  await rateLimiter.consume("sign-in-account", email);
  try {
    const result = await check(browser);
    await rateLimiter.forgive("sign-in-account", email);
    return result;
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) {
      await rateLimiter.giveBack("sign-in-address", browser.ipAddress);
      await rateLimiter.giveBack("sign-in-account", email);
    }
    if (error instanceof DomainError && FAILURES.has(error.code)) {
      await recordFailure(ctx, failedAction, { email, reason: error.code, ipAddress: browser.ipAddress });
    }
    throw error;
  }
}

/**
 * Never throws: a failed write of the audit must not replace the answer to the sign-in. What was typed is not kept: an
 * address without an account may be a password in the wrong field.
 */
async function recordFailure(
  ctx: Context,
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
    ctx.log.error({ err: error, action, reason }, "a failed sign-in could not be audited");
  }
}
