import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { MAX_COUNTED } from "../paging.ts";
import { IS_NOT_DELETED } from "../pass-validity.server.ts";
import { countUpTo } from "../select-page.server.ts";

const tabCounts = z.object({
  users: z.int(),
  tools: z.int(),
  accessCodes: z.int(),
  purchases: z.int(),
  coupons: z.int(),
  credentials: z.int(),
});

/** 10,001 stands for more than 10,000. */
export type TabCounts = z.output<typeof tabCounts>;

const upTo = (from: SQL, where: SQL) => countUpTo(MAX_COUNTED + 1, from, where);

/**
 * How many rows each of the admin's lists has. `purchases` counts ended and expired ones too; deleted rows count nowhere.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readTabCounts(ctx: Context): Promise<TabCounts> {
  requireAdmin(ctx, "reads");
  const { rows } = await ctx.db.execute(sql`
    select ${upTo(sql`${users}`, sql`${users.deletedAt} is null`)} as users,
      ${upTo(sql`${tools}`, sql`${tools.deletedAt} is null`)} as tools,
      ${upTo(sql`${accessCodes}`, sql`true`)} as "accessCodes",
      ${upTo(sql`${userPurchases}`, IS_NOT_DELETED)} as purchases,
      ${upTo(sql`${couponCodes}`, sql`${couponCodes.deletedAt} is null`)} as coupons,
      ${upTo(sql`${credentials}`, sql`true`)} as credentials`);
  return tabCounts.parse(rows[0]);
}
