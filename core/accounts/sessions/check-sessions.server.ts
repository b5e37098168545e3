import { requireBrowser, requireSystem } from "../../authorise.ts";
import type { Actor, Context } from "../../context.ts";
import { findAccountById, hasAdminSession } from "../queries.server.ts";
import { adminSessionRule, readAdminSessionLimits } from "./admin-session-rules.server.ts";
import { selectRunningSessions } from "./queries.server.ts";

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

/**
 * Whether the actor is an admin whose session still runs, for what outlives one request. It does not extend the session.
 */
export async function isStillAdmin(ctx: Pick<Context, "actor" | "db" | "clock" | "log">): Promise<boolean> {
  const { actor } = ctx;
  if (actor.kind !== "admin") return false;
  const limits = await readAdminSessionLimits(ctx, ctx.db);
  return hasAdminSession(ctx.db, actor.sessionId, { now: ctx.clock.now(), ...limits });
}

/**
 * Which of these sessions run, for the live streams that end with their session. Those of disabled and deleted accounts do
 * not.
 *
 * @throws DomainError forbidden
 */
export async function findRunningSessions(ctx: Context, ids: readonly string[]): Promise<string[]> {
  requireSystem(ctx);
  return selectRunningSessions(ctx.db, { ids, now: ctx.clock.now() });
}

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
