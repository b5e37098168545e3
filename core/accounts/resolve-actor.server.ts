import type { Database } from "#db/database.ts";
import type { Actor } from "../context.ts";
import type { Authenticator, BrowserRequest } from "./authenticator.ts";
import { findAccountById } from "./queries.server.ts";

/**
 * Who is behind a browser's request. The role is read from the accounts each time, so that a change of role and a
 * disabled account count from the next request on; a disabled or deleted account is a visitor. A request without a
 * session cookie makes no query.
 *
 * `setCookies` must reach the browser: they prolong the session, or remove a cookie whose session has ended.
 */
export async function resolveActor(
  authenticator: Authenticator,
  db: Database,
  browser: BrowserRequest,
): Promise<{ actor: Actor; setCookies: string[] }> {
  const session = await authenticator.resolveSession(browser);
  if (session === null) return { actor: { kind: "visitor" }, setCookies: [] };
  const { userId, sessionId, setCookies } = session;
  const account = await findAccountById(db, userId);
  if (account === undefined || !account.isActive) return { actor: { kind: "visitor" }, setCookies: [] };
  return { actor: { kind: account.role, userId, email: account.email, sessionId }, setCookies };
}
