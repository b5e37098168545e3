import { and, inArray, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { users } from "#db/tables/accounts.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { choice, inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../../paging.ts";
import { type PageOfIds, type SortKey, selectListPage } from "../../select-page.server.ts";

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

const inputSchema = z.object({
  ...listFields(["createdAt", "lastLogin", "email"]),
  provider: choice(USER_PROVIDERS),
});

type Input = z.output<typeof inputSchema>;

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

const SORT_KEYS: Record<Input["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${users.createdAt}` }],
  lastLogin: [{ column: sql`${users.lastLogin}`, hasNulls: true }],
  email: [{ column: sql`${users.email}` }],
};

/**
 * The accounts that are not deleted, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the e-mail address or name; `provider`: all, email or google (an admin's account is listed
 *   under all only); `sort`: createdAt, lastLogin or email; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listUsers(ctx: Context, input: ListInput): Promise<List<ListedUser>> {
  requireAdmin(ctx, "reads");
  const parsed = inputSchema.parse(input);
  const { ids, ...facts } = await selectUserIds(ctx, parsed);
  const rows = await ctx.db
    .select(PROFILE_COLUMNS)
    .from(users)
    .where(and(inArray(users.id, ids), isNull(users.deletedAt)));
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}

function selectUserIds(ctx: Context, { provider, sort, ...parsed }: Input): Promise<PageOfIds> {
  const exists = sql`${users.deletedAt} is null`;
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${users}`,
    id: sql`${users.id}`,
    listed: provider === "all" ? exists : sql`${exists} and ${users.provider} = ${provider}`,
    keys: SORT_KEYS[sort],
    search: (pattern) => [sql`${users.email} ilike ${pattern}`, sql`${users.name} ilike ${pattern}`],
  });
}
