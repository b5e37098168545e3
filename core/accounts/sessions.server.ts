import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { sessions } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import {
  type AuthorisedContext,
  allowAnyone,
  requireBrowser,
  requireSignedIn,
  requireSystem,
} from "../authorise.ts";
import { readAdminSessionSettings } from "../catalog/store-settings.server.ts";
import type { Actor, Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isLoopbackOrigin } from "../rate-limits/network.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import type { SessionRule } from "./authenticator.ts";
import { type BrowserName, browserName, isHandheld } from "./browser-name.ts";
import {
  type Account,
  deleteSessions,
  findAccountById,
  findDeletion,
  hasAdminSession,
  selectRunningSessions,
  selectSessions,
} from "./queries.server.ts";
import { DEFAULT_ADMIN_SESSIONS } from "./rules.ts";

/** How often the use of an admin's session is recorded, and so how precise its idle end is. */
const ADMIN_SEEN_EVERY_MS = 5 * MINUTE;

const endSessionInput = z.object({ sessionId: z.uuid() });

/**
 * The actor of a browser's request. The role is read from the account for every request, so a change applies from the
 * next request on. A disabled or deleted account is a visitor. On an origin that others can reach, an admin first replaces the
 * password that the shop made. A request without a session cookie makes no query. The session
 * of an admin ends sooner than the session of a buyer.
 *
 * @returns `setCookies` for the response: they extend the session, or remove the cookie of an ended session
 */
export async function resolveActor(ctx: Context): Promise<{ actor: Actor; setCookies: string[] }> {
  requireBrowser(ctx);
  const { rule, account: checked } = adminSessionRule(ctx);
  const session = await ctx.ports.authenticator.resolveSession(ctx.browser, rule);
  if (session === null) return { actor: { kind: "visitor" }, setCookies: [] };
  const { userId, sessionId, passwordEnteredAt, setCookies } = session;
  const account = checked() ?? (await findAccountById(ctx.db, userId));
  if (account === undefined || !account.isActive) return { actor: { kind: "visitor" }, setCookies: [] };
  const person = { userId, email: account.email, sessionId };
  if (account.role !== "admin") return { actor: { kind: "user", ...person }, setCookies };
  const mustChange = mustChangePassword(ctx, account);
  const admin = { kind: "admin", ...person, passwordEnteredAt } as const;
  return { actor: { ...admin, ...(mustChange && { mustChangePassword: true }) }, setCookies };
}

/** Whether an admin can do nothing before they have replaced the password that the shop has made. */
export const mustChangePassword = (
  ctx: Context,
  { passwordIsGenerated }: Pick<Account, "passwordIsGenerated">,
): boolean => passwordIsGenerated && !isLoopbackOrigin(ctx.store.origin);

/** The rule for sessions of admins, and the account that it has read; undefined before a session was checked. */
function adminSessionRule(ctx: AuthorisedContext): { rule: SessionRule; account: () => Account | undefined } {
  let account: Account | undefined;
  const rule: SessionRule = async ({ userId, createdAt, seenAt }, now) => {
    account = await findAccountById(ctx.db, userId);
    if (account?.role !== "admin") return { isEnded: false };
    const { idleMs, lifeMs } = await readAdminSessionLimits(ctx, ctx.db);
    const isEnded =
      now.getTime() - seenAt.getTime() >= idleMs || now.getTime() - createdAt.getTime() >= lifeMs;
    return { isEnded, seenEveryMs: ADMIN_SEEN_EVERY_MS };
  };
  return { rule, account: () => account };
}

/**
 * Whether the actor is an admin whose session still runs, for what outlives one request. It does not extend the session.
 */
export async function isStillAdmin(ctx: Context): Promise<boolean> {
  allowAnyone(ctx);
  const { actor } = ctx;
  if (actor.kind !== "admin") return false;
  const limits = await readAdminSessionLimits(ctx, ctx.db);
  return hasAdminSession(ctx.db, actor.sessionId, { now: ctx.clock.now(), ...limits });
}

/** How long a session of an admin may be idle and may last, in ms: the owner's numbers, else the defaults. */
async function readAdminSessionLimits(
  ctx: Pick<Context, "log">,
  executor: Executor,
): Promise<{ idleMs: number; lifeMs: number }> {
  const { idleHours, maxDays } = DEFAULT_ADMIN_SESSIONS;
  const chosen = await readAdminSessionSettings(ctx, executor);
  return { idleMs: (chosen.idleHours ?? idleHours) * HOUR, lifeMs: (chosen.maxDays ?? maxDays) * DAY };
}

/**
 * Which of these sessions run, for the live streams that end with their session. Sessions of disabled and deleted accounts do
 * not.
 *
 * @throws DomainError forbidden
 */
export async function findRunningSessions(ctx: Context, ids: readonly string[]): Promise<string[]> {
  requireSystem(ctx);
  return selectRunningSessions(ctx.db, { ids, now: ctx.clock.now() });
}

/** How long the browsers of a deleted account say that it was deleted. */
const DELETION_TOLD_MS = DAY;

/**
 * Why this browser is signed out without having signed out itself: it still has the cookie of a session that does not run any
 * more. The account that signed in last was disabled, or was deleted less than a day ago, or else only the session has ended.
 * Only the browser of that account is told. Makes no query without such a cookie.
 *
 * @returns null: it was not signed out for one of these reasons
 */
export async function whySignedOut(ctx: Context): Promise<"disabled" | "deleted" | "session-ended" | null> {
  allowAnyone(ctx);
  const { actor, browser } = ctx;
  if (actor.kind !== "visitor" || browser === undefined) return null;
  const { authenticator } = ctx.ports;
  if (!authenticator.hasSessionCookie(browser)) return null;
  const [last] = authenticator.knownAccounts(browser);
  const account = last && (await findAccountById(ctx.db, last.userId));
  if (account !== undefined) return account.isActive ? "session-ended" : "disabled";
  return (await hasDeletedAccount(ctx)) ? "deleted" : null;
}

/** Whether the account that signed in last in this browser was deleted less than a day ago. Nobody has signed in since. */
export async function hasDeletedAccount(ctx: Context): Promise<boolean> {
  allowAnyone(ctx);
  const { actor, browser } = ctx;
  if (actor.kind !== "visitor" || browser === undefined) return false;
  const [last] = ctx.ports.authenticator.knownAccounts(browser);
  const deletedAt = last ? await findDeletion(ctx.db, last.userId) : null;
  return deletedAt !== null && ctx.clock.now().getTime() - deletedAt.getTime() < DELETION_TOLD_MS;
}

export interface MySession {
  id: string;
  browser: BrowserName;
  isHandheld: boolean;
  /** Whether the request came with this session. */
  isCurrent: boolean;
  signedInAt: Date;
  /** Stored at most once an hour. */
  lastSeenAt: Date;
}

/**
 * Where the signed-in person is signed in: the session of the request first, then those seen last.
 *
 * @throws DomainError unauthenticated
 */
export async function listMySessions(ctx: Context): Promise<MySession[]> {
  requireSignedIn(ctx, "reads");
  const { userId, sessionId } = ctx.actor;
  const now = ctx.clock.now();
  const rows = await selectSessions(ctx.db, { userId, now });
  return rows
    .map(({ id, userAgent, createdAt, updatedAt }) => ({
      id,
      browser: browserName(userAgent),
      isHandheld: isHandheld(userAgent),
      isCurrent: id === sessionId,
      signedInAt: createdAt,
      lastSeenAt: id === sessionId ? now : updatedAt,
    }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}

/**
 * The signed-in person signs another browser of theirs out, at once. A session that has ended, or is somebody else's, is
 * 'not-found'.
 *
 * @throws DomainError unauthenticated, not-found, invalid-input
 */
export async function endSession(
  ctx: Context,
  input: z.input<typeof endSessionInput> | UntrustedInput,
): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { userId } = ctx.actor;
  const { sessionId } = parseInput(endSessionInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const ended = await deleteSessions(tx, userId, { only: sessionId });
    if (ended === 0) throw new DomainError("not-found");
    await recordAudit(ctx, tx, {
      action: "account.session-ended",
      subjectType: "user",
      subjectId: userId,
      details: addressOf(ctx),
    });
  });
}

/**
 * The signed-in person signs all other browsers out, at once. Devices of the extension stay connected.
 *
 * @returns how many were signed out
 * @throws DomainError unauthenticated
 */
export async function endOtherSessions(ctx: Context): Promise<{ ended: number }> {
  requireSignedIn(ctx, "own-account");
  const { userId, sessionId } = ctx.actor;
  return inTransaction(ctx.db, async (tx) => {
    const ended = await deleteSessions(tx, userId, { except: sessionId });
    if (ended > 0) {
      await recordAudit(ctx, tx, {
        action: "account.other-sessions-ended",
        subjectType: "user",
        subjectId: userId,
        details: { sessionsEnded: ended, ...addressOf(ctx) },
      });
    }
    return { ended };
  });
}

/** Signs everybody out, because the secret that signs their cookies is lost. @throws DomainError 'forbidden' */
export async function endAllSessions(ctx: Context): Promise<void> {
  requireSystem(ctx);
  await inTransaction(ctx.db, async (tx) => {
    await tx.delete(sessions);
    changed(tx, sessions);
    await recordAudit(ctx, tx, { action: "sessions.ended", subjectType: "store" });
  });
}

/**
 * Ends the session of this browser, if it has one, and the unused tickets of its user. Audited. `setCookies` removes the cookie.
 */
export async function signOut(ctx: Context): Promise<{ setCookies: string[] }> {
  requireBrowser(ctx);
  const { browser } = ctx;
  const { actor } = ctx;
  const signedOut = await ctx.ports.authenticator.signOut(browser);
  // Afterwards, so that the session cannot get another ticket.
  if (actor.kind === "user" || actor.kind === "admin") {
    await ctx.db.delete(deviceTickets).where(eq(deviceTickets.userId, actor.userId));
    await recordAudit(ctx, ctx.db, {
      action: actor.kind === "admin" ? "admin.signed-out" : "account.signed-out",
      subjectType: "user",
      subjectId: actor.userId,
      details: addressOf(ctx),
    });
  }
  return signedOut;
}
