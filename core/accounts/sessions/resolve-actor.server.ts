import { requireBrowser } from "../../authorise.ts";
import type { Actor, Context } from "../../context.ts";
import { findAccountById } from "../queries.server.ts";
import { adminSessionRule } from "./admin-session-rules.server.ts";

/**
 * The actor of a browser's request. The role is read from the account for every request, so a change applies from the
 * next request on. A disabled or deleted account is a visitor. A request without a session cookie makes no query. The session
 * of an admin ends sooner than that of a buyer.
 *
 * @returns `setCookies` for the response: they extend the session, or remove the cookie of an ended session
 */
export async function resolveActor(ctx: Context): Promise<{ actor: Actor; setCookies: string[] }> {
  const { rule, account: checked } = adminSessionRule(ctx);
  const session = await ctx.ports.authenticator.resolveSession(requireBrowser(ctx), rule);
  if (session === null) return { actor: { kind: "visitor" }, setCookies: [] };
  const { userId, sessionId, passwordEnteredAt, setCookies } = session;
  const account = checked() ?? (await findAccountById(ctx.db, userId));
  if (account === undefined || !account.isActive) return { actor: { kind: "visitor" }, setCookies: [] };
  const person = { userId, email: account.email, sessionId };
  const actor: Actor =
    account.role === "admin" ? { kind: "admin", ...person, passwordEnteredAt } : { kind: "user", ...person };
  return { actor, setCookies };
}
