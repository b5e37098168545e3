import { and, desc, eq, gt, inArray, isNull, ne, type SQLWrapper, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { sessions, users } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import type { Language } from "#languages/languages.ts";
import { IS_COMPLETED, IS_OPEN_CHECKOUT } from "../pass-validity.server.ts";

const account = {
  id: users.id,
  email: users.email,
  displayName: users.name,
  role: users.role,
  isActive: users.isActive,
  passwordIsGenerated: users.passwordIsGenerated,
};

export interface Account {
  id: string;
  email: string;
  displayName: string;
  role: "user" | "admin";
  isActive: boolean;
  passwordIsGenerated: boolean;
}

export async function findAccountById(executor: Executor, userId: string): Promise<Account | undefined> {
  const [found] = await executor
    .select(account)
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  return found;
}

const profile = {
  email: users.email,
  emailVerified: users.emailVerified,
  displayName: users.name,
  provider: users.provider,
  signupDate: users.createdAt,
  lastLogin: users.lastLogin,
};

export interface ProfileRow {
  email: string;
  emailVerified: boolean;
  displayName: string;
  /** How the account was created. */
  provider: "email" | "google" | "admin";
  signupDate: Date;
  lastLogin: Date | null;
}

export async function findProfile(executor: Executor, userId: string): Promise<ProfileRow | undefined> {
  const [found] = await executor
    .select(profile)
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  return found;
}

export async function setDisplayName(executor: Executor, userId: string, name: string): Promise<void> {
  await executor.update(users).set({ name }).where(eq(users.id, userId));
  changed(executor, users);
}

/** @param email in lower case */
export async function findAccountByEmail(executor: Executor, email: string): Promise<Account | undefined> {
  const [found] = await executor
    .select(account)
    .from(users)
    .where(and(eq(users.email, email), isNull(users.deletedAt)));
  return found;
}

/** Locks the account, so that its ways to sign in do not change meanwhile. @param email in lower case */
export async function lockAccountByEmail(
  tx: Transaction,
  email: string,
): Promise<(Account & { emailVerified: boolean }) | undefined> {
  const [found] = await tx
    .select({ ...account, emailVerified: users.emailVerified })
    .from(users)
    .where(and(eq(users.email, email), isNull(users.deletedAt)))
    .for("update");
  return found;
}

/** The account was created by somebody who did not prove that the address is theirs; Google proves it now. */
export async function setVerifiedByGoogle(executor: Executor, userId: string): Promise<void> {
  await executor.update(users).set({ emailVerified: true, provider: "google" }).where(eq(users.id, userId));
  changed(executor, users);
}

/** A link that was mailed to the address was used. */
export async function setEmailVerified(executor: Executor, userId: string): Promise<void> {
  await executor.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
  changed(executor, users);
}

/** Sets the photo, and the name of an account that has none. */
export async function mergeProfile(
  executor: Executor,
  userId: string,
  { displayName, photoUrl }: { displayName: string; photoUrl: string | null },
): Promise<void> {
  await executor
    .update(users)
    .set({
      name: sql`case when ${users.name} = '' then ${displayName} else ${users.name} end`,
      ...(photoUrl !== null && { image: photoUrl }),
    })
    .where(eq(users.id, userId));
  changed(executor, users);
}

/** The person has set a password of their own. */
export async function setOwnPassword(executor: Executor, userId: string): Promise<void> {
  await executor.update(users).set({ passwordIsGenerated: false }).where(eq(users.id, userId));
  changed(executor, users);
}

/** Whether the shop has or had an admin. Deleted admins count. */
export async function hasAnyAdmin(executor: Executor): Promise<boolean> {
  const found = await executor.select({ id: users.id }).from(users).where(eq(users.role, "admin")).limit(1);
  return found.length > 0;
}

/** Whether the session runs and belongs to an active admin. */
export async function hasAdminSession(
  executor: Executor,
  sessionId: string,
  { now, idleMs, lifeMs }: { now: Date; idleMs: number; lifeMs: number },
): Promise<boolean> {
  const found = await executor
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, sessionId),
        gt(sessions.expiresAt, now),
        gt(sessions.updatedAt, new Date(now.getTime() - idleMs)),
        gt(sessions.createdAt, new Date(now.getTime() - lifeMs)),
        eq(users.role, "admin"),
        eq(users.isActive, true),
        isNull(users.deletedAt),
      ),
    );
  return found.length > 0;
}

export async function grantAdminRole(
  executor: Executor,
  { userId, passwordIsGenerated }: { userId: string; passwordIsGenerated: boolean },
): Promise<void> {
  await executor
    .update(users)
    .set({ role: "admin", provider: "admin", isActive: true, emailVerified: true, passwordIsGenerated })
    .where(eq(users.id, userId));
  changed(executor, users);
}

export async function setLastLogin(
  executor: Executor,
  userId: string,
  { at, language }: { at: Date; language: Language | undefined },
): Promise<void> {
  await executor
    .update(users)
    .set({ lastLogin: at, ...(language && { language }) })
    .where(eq(users.id, userId));
  changed(executor, users);
}

/** Writes nothing to an account that has this language. */
export async function setLanguage(executor: Executor, userId: string, language: Language): Promise<void> {
  await executor
    .update(users)
    .set({ language })
    .where(and(eq(users.id, userId), ne(users.language, language)));
  changed(executor, users);
}

/** What the deletion of an account ends. */
export interface EndingPurchases {
  /** Passes that have not ended, begun or not, in every mode. */
  passes: number;
  /** When the last of them ends; null: there is none, or none has an end. */
  lastPassEndsAt: Date | null;
  /** Checkouts that are not paid yet. */
  checkouts: number;
}

/** What the deletion of accounts would end now. In SQL, these are the states `active` and `held` of purchase-states.ts. */
export async function selectEndingPurchases(
  executor: Executor,
  { userIds, now }: { userIds: readonly string[] | SQLWrapper; now: Date },
): Promise<EndingPurchases> {
  const { expiresAt, endedAt } = userPurchases;
  const isPass = sql`${IS_COMPLETED} and (${expiresAt} is null or ${expiresAt} > ${now})`;
  const [found] = await executor
    .select({
      passes: sql<number>`count(*) filter (where ${isPass})`.mapWith(Number),
      lastPassEndsAt: sql<Date | null>`max(${expiresAt}) filter (where ${isPass})`.mapWith(expiresAt),
      checkouts: sql<number>`count(*) filter (where ${IS_OPEN_CHECKOUT})`.mapWith(Number),
    })
    .from(userPurchases)
    .where(and(inArray(userPurchases.userId, userIds), isNull(endedAt)));
  return found ?? { passes: 0, lastPassEndsAt: null, checkouts: 0 };
}

/** When a session began, which is the sign-in; undefined: it has ended. */
export async function findSessionStart(executor: Executor, sessionId: string): Promise<Date | undefined> {
  const [found] = await executor
    .select({ createdAt: sessions.createdAt })
    .from(sessions)
    .where(eq(sessions.id, sessionId));
  return found?.createdAt;
}

/** When an account was deleted; null: it was not, or there is no such account. */
export async function findDeletion(executor: Executor, userId: string): Promise<Date | null> {
  const [found] = await executor
    .select({ deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId));
  return found?.deletedAt ?? null;
}

export async function setPasswordEnteredAt(executor: Executor, sessionId: string, at: Date): Promise<void> {
  await executor.update(sessions).set({ passwordEnteredAt: at }).where(eq(sessions.id, sessionId));
  changed(executor, sessions);
}

export async function selectAdminEmails(executor: Executor): Promise<string[]> {
  const rows = await executor
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.role, "admin"), isNull(users.deletedAt)))
    .orderBy(users.createdAt);
  return rows.map(({ email }) => email);
}

/** More than these nobody reads. Ending all others ends those too that are not listed. */
const MOST_LISTED = 50;

/** The running sessions of an account, the session that was seen last first. */
export function selectSessions(executor: Executor, { userId, now }: { userId: string; now: Date }) {
  return executor
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.updatedAt), desc(sessions.id))
    .limit(MOST_LISTED);
}

/**
 * Ends sessions of an account, and then the account's unused device tickets, because an ended session may have got one.
 *
 * @param which one session, or all except one
 * @returns how many were ended
 */
export async function deleteSessions(
  executor: Executor,
  userId: string,
  which: { only: string } | { except: string },
): Promise<number> {
  const chosen = "only" in which ? eq(sessions.id, which.only) : ne(sessions.id, which.except);
  const ended = await executor
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), chosen))
    .returning({ id: sessions.id });
  changed(executor, sessions);
  await executor.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
  return ended.length;
}

/** Which of these sessions run and belong to an account that may use them. */
export async function selectRunningSessions(
  executor: Executor,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<string[]> {
  const running = await executor
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        inArray(sessions.id, [...ids]),
        gt(sessions.expiresAt, now),
        eq(users.isActive, true),
        isNull(users.deletedAt),
      ),
    );
  return running.map(({ id }) => id);
}
