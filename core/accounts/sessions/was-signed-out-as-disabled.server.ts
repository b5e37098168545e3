import type { Context } from "../../context.ts";
import { findAccountById } from "../queries.server.ts";

/**
 * Whether this browser was signed out because the account of its session has been disabled: it still has the cookie of a
 * session that does not run any more, and the account that signed in last is disabled. Only the browser of that account is
 * told. Makes no query without such a cookie.
 */
export async function wasSignedOutAsDisabled(ctx: Context): Promise<boolean> {
  const { actor, browser } = ctx;
  if (actor.kind !== "visitor" || browser === undefined) return false;
  const { authenticator } = ctx.ports;
  if (!(await authenticator.hasSessionCookie(browser))) return false;
  const [last] = authenticator.knownAccounts(browser);
  const account = last && (await findAccountById(ctx.db, last.userId));
  return account !== undefined && !account.isActive;
}
