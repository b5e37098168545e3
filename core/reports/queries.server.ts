import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";

// Counts and sums are bigint, which the driver returns as text.
const wholeNumber = z.coerce.number().int().refine(Number.isSafeInteger);

const statisticsRow = z.object({
  totalUsers: wholeNumber,
  activeUsers: wholeNumber,
  totalPurchases: wholeNumber,
  totalRevenuePaise: wholeNumber,
  totalTools: wholeNumber,
  activeTools: wholeNumber,
});

export type DashboardStatistics = z.output<typeof statisticsRow>;

const accounts = sql`
  select count(*) as total, count(*) filter (where ${users.isActive}) as active
  from ${users} where ${users.deletedAt} is null`;

const purchases = sql`
  select count(*) as total from ${userPurchases}
  where ${userPurchases.status} in ('completed', 'active')
    and (${userPurchases.endedReason} is null or ${userPurchases.endedReason} not in ('deleted', 'user-deleted'))`;

/**
 * Captured payments less refunds. A row in `refunds` is about the whole payment and includes earlier partial refunds at
 * the gateway, so the larger of the two counts.
 */
const revenue = sql`
  select coalesce(sum(${paymentAttempts.amountPaise}
    - greatest(coalesce(refunded.paise, 0), ${paymentAttempts.refundedPaise})), 0) as paise
  from ${paymentAttempts}
  join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
  left join (
    select ${refunds.attemptId} as attempt_id, sum(${refunds.amountPaise}) as paise
    from ${refunds} where ${refunds.status} = 'processed' group by ${refunds.attemptId}
  ) refunded on refunded.attempt_id = ${paymentAttempts.id}
  where ${paymentAttempts.status} = 'captured' and not ${paymentOrders.testMode}`;

const catalogue = sql`
  select count(*) as total, count(*) filter (where ${tools.isActive}) as active
  from ${tools} where ${tools.deletedAt} is null`;

/** All six statistics in one statement: one round trip, one snapshot. */
export async function selectStatistics(executor: Executor): Promise<DashboardStatistics> {
  const { rows } = await executor.execute(sql`
    select accounts.total as "totalUsers", accounts.active as "activeUsers",
      purchases.total as "totalPurchases", revenue.paise as "totalRevenuePaise",
      catalogue.total as "totalTools", catalogue.active as "activeTools"
    from (${accounts}) accounts, (${purchases}) purchases, (${revenue}) revenue,
      (${catalogue}) catalogue`);
  return statisticsRow.parse(rows[0]);
}

/** @returns false when the setting exists; its value is then unchanged */
export async function insertSettingOnce(executor: Executor, key: string, value: unknown): Promise<boolean> {
  const inserted = await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  return inserted.length > 0;
}

export async function settingExists(executor: Executor, key: string): Promise<boolean> {
  return (await executor.$count(settings, sql`${settings.key} = ${key}`)) > 0;
}
