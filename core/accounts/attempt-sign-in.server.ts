import { recordAudit } from "../audit/record-audit.server.ts";
import { requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError, type ErrorCode, isDomainError } from "../errors.ts";
import type { BrowserRequest } from "./authenticator.ts";
import { findAccountByEmail } from "./queries.server.ts";

/** Refusals of an attempt whose credentials were checked. */
const AUDITED_REFUSALS = new Set<ErrorCode>([
  "user-not-found",
  "wrong-password",
  "user-disabled",
  "invalid-admin-credentials",
]);

/**
 * Runs one sign-in within the rate limits. An attempt counts for the address and the account before the password is
 * checked. A success resets the count of the account. An attempt that is refused as busy does not count, because no
 * password was checked.
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
  const browser = requireBrowser(ctx);
  const { rateLimiter } = ctx.ports;
  await rateLimiter.consume("sign-in-address", browser.ipAddress);
  await rateLimiter.consume("sign-in-account", email);
  try {
    const result = await check(browser);
    await rateLimiter.reset("sign-in-account", email);
    return result;
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) {
      await rateLimiter.undoConsume("sign-in-address", browser.ipAddress);
      await rateLimiter.undoConsume("sign-in-account", email);
    }
    if (error instanceof DomainError && AUDITED_REFUSALS.has(error.code)) {
      await recordFailure(ctx, failedAction, { email, reason: error.code, ipAddress: browser.ipAddress });
    }
    throw error;
  }
}

/**
 * Never throws: an error of the audit must not replace the refusal of the sign-in. Stores nothing that was typed: an
 * email without an account may be a password in the wrong field.
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
    ctx.log.error({ err: error, action, reason }, "failed sign-in not audited");
  }
}
