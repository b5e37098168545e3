import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";
import type { BrowserRequest } from "./authenticator.ts";
import { requireBrowser } from "./require-browser.ts";

/**
 * Runs one sign-in within the limits: every attempt counts against the browser's address and the account before the
 * password is looked at; a success clears the account's count. An attempt refused because the shop is busy counts
 * against neither, because no password was checked.
 *
 * @param check proves the password; what it throws is the answer
 * @throws DomainError 'forbidden' without a browser; 'rate-limited'; whatever `check` throws
 */
export async function attemptSignIn<Result>(
  ctx: Context,
  { email }: { email: string },
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
    throw error;
  }
}
