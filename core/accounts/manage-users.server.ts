import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { choice, type List, type ListInput, listFields, makeList } from "../lists/paging.ts";
import { type ListQuery, type SortKey, selectAllIds, selectListPage } from "../lists/select-page.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { endDevices } from "../take-over-account.server.ts";

/** The stored profile of an account. */
export const PROFILE_COLUMNS = {
  id: users.id,
  email: users.email,
  name: users.name,
  provider: users.provider,
  role: users.role,
  isActive: users.isActive,
  createdAt: users.createdAt,
  lastLogin: users.lastLogin,
};

const USER_PROVIDERS = ["all", "email", "google"] as const;

const listSchema = z.object({
  ...listFields(["createdAt", "lastLogin", "email"]),
  provider: choice(USER_PROVIDERS),
});

type Listed = z.output<typeof listSchema>;

const setUserActiveInput = z.object({ userId: z.uuid(), isActive: z.boolean() });

const SORT_KEYS: Record<Listed["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${users.createdAt}` }],
  lastLogin: [{ column: sql`${users.lastLogin}`, hasNulls: true }],
  email: [{ column: sql`${users.email}` }],
};

export interface ListedUser {
  id: string;
  email: string;
  /** "" when the user has given none. */
  name: string;
  provider: "email" | "google" | "admin";
  role: "user" | "admin";
  isActive: boolean;
  /** The time of the sign-up. */
  createdAt: Date;
  lastLogin: Date | null;
}

/**
 * The accounts that are not deleted, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the e-mail address or name; `provider`: all, email or google (an admin's account is listed
 *   under all only); `sort`: createdAt, lastLogin or email; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listUsers(ctx: Context, input: ListInput): Promise<List<ListedUser>> {
  requireAdmin(ctx, "reads");
  const page = await selectListPage(ctx.db, listedUsers(listSchema.parse(input)));
  const rows = await ctx.db
    .select(PROFILE_COLUMNS)
    .from(users)
    .where(and(inArray(users.id, page.ids), isNull(users.deletedAt)));
  return makeList(page, rows);
}

/** The ids of all accounts of a list, `most` at most. */
export function selectUserIds(ctx: AuthorisedContext, input: ListInput, most: number): Promise<string[]> {
  return selectAllIds(ctx.db, listedUsers(listSchema.parse(input)), most);
}

function listedUsers({ provider, sort, ...parsed }: Listed): ListQuery {
  const exists = sql`${users.deletedAt} is null`;
  return {
    ...parsed,
    from: sql`${users}`,
    id: sql`${users.id}`,
    listed: provider === "all" ? exists : sql`${exists} and ${users.provider} = ${provider}`,
    keys: SORT_KEYS[sort],
    search: (matches) => [matches(users.email), matches(users.name, "name")],
  };
}

/**
 * The admin activates or deactivates an account. A deactivated account cannot sign in, and its sessions, its devices
 * and its reset links end at once and for good. Its passes keep running, and open again when the account is activated.
 * A payment that arrives meanwhile is refunded. Admins cannot be deactivated, also not by themselves. A repeated call
 * changes nothing.
 *
 * @returns whether the account was changed
 * @throws DomainError unauthenticated, forbidden, password-needed (also for an admin's account), not-found (also
 * deleted), invalid-input
 */
export async function setUserActive(
  ctx: Context,
  input: z.input<typeof setUserActiveInput> | UntrustedInput,
): Promise<{ changed: boolean }> {
  requireAdmin(ctx, "changes-access");
  const { userId, isActive } = parseInput(setUserActiveInput, input);
  return { changed: await inTransaction(ctx.db, (tx) => changeUserActive(ctx, tx, { userId, isActive })) };
}

/** `setUserActive` in the transaction of the caller. @returns whether the account was changed */
export async function changeUserActive(
  ctx: AuthorisedContext,
  tx: Transaction,
  { userId, isActive }: z.output<typeof setUserActiveInput>,
): Promise<boolean> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for("update");
  if (!user || user.deletedAt) throw new DomainError("not-found");
  if (user.role === "admin" && !isActive) throw new DomainError("forbidden");
  if (user.isActive === isActive) return false;
  await tx.update(users).set({ isActive }).where(eq(users.id, userId));
  changed(tx, users);
  // Also on activation: a request at the moment of the deactivation may have started a session or made a link after it.
  const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ id: sessions.id });
  changed(tx, sessions);
  await tx.delete(verifications).where(eq(verifications.value, userId));
  await endDevices(ctx, tx, userId, "deactivation");
  await recordAudit(ctx, tx, {
    action: isActive ? "user.activated" : "user.deactivated",
    subjectType: "user",
    subjectId: userId,
    details: { before: { isActive: user.isActive }, after: { isActive }, sessionsEnded: ended.length },
  });
  return true;
}
