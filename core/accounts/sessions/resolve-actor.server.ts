import type { Database } from "#db/database.ts";
import type { Actor } from "../../context.ts";
import type { Authenticator, BrowserRequest } from "../authenticator.ts";
import { findAccountById } from "../queries.server.ts";

/**
 * The actor of a browser's request. The role is read from the account for every request, so a change applies from the
 * next request on. A disabled or deleted account is a visitor. A request without a session cookie makes no query.
 *
 * @returns `setCookies` for the response: they extend the session, or remove the cookie of an ended session
 */
export async function resolveActor(
  authenticator: Authenticator,
  db: Database,
  browser: BrowserRequest,
): Promise<{ actor: Actor; setCookies: string[] }> {
  const session = await authenticator.resolveSession(browser);
  if (session === null) return { actor: { kind: "visitor" }, setCookies: [] };
  const { userId, sessionId, passwordEnteredAt, setCookies } = session;
  const account = await findAccountById(db, userId);
  if (account === undefined || !account.isActive) return { actor: { kind: "visitor" }, setCookies: [] };
  const person = { userId, email: account.email, sessionId };
  const actor: Actor =
    account.role === "admin" ? { kind: "admin", ...person, passwordEnteredAt } : { kind: "user", ...person };
  return { actor, setCookies };
}
