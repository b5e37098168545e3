import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import {
  ALL_PURCHASE_COUNTERS,
  ALL_USER_COUNTERS,
  COUPONS,
  PAYMENTS,
  PURCHASES,
  type UserProvider,
  userCounters,
} from "./counter-names.ts";
import { BUCKET, rowsOf } from "./queries.server.ts";

/*
 * How many rows there are, without counting them: from counters where a table can be large. The callers authorise.
 */

// Counts and sums are bigint, which the driver returns as text.
const wholeNumber = z.coerce.number().int().refine(Number.isSafeInteger);

const countRow = z.object({ n: wholeNumber });

async function sumOf(executor: Executor, names: readonly string[]): Promise<number> {
  const { rows } = await executor.execute(
    sql`select coalesce(sum(count), 0) as n from ${rowsOf(names)} counted`,
  );
  return countRow.parse(rows[0]).n;
}

/** Accounts that are not deleted. */
export function countUsers(executor: Executor, provider: "all" | UserProvider): Promise<number> {
  const names =
    provider === "all" ? ALL_USER_COUNTERS : [userCounters(provider, true), userCounters(provider, false)];
  return sumOf(executor, names);
}

/** Coupons that are not deleted. */
export function countCoupons(executor: Executor): Promise<number> {
  return sumOf(executor, [COUPONS]);
}

/** Tools that are not deleted. */
export async function countTools(executor: Executor): Promise<number> {
  return executor.$count(tools, sql`${tools.deletedAt} is null`);
}

export function countAccessCodes(executor: Executor): Promise<number> {
  return executor.$count(accessCodes);
}

export function countCredentials(executor: Executor): Promise<number> {
  return executor.$count(credentials);
}

const purchaseCounts = z.object({
  pending: wholeNumber,
  failed: wholeNumber,
  running: wholeNumber,
  runningInTestMode: wholeNumber,
  allPending: wholeNumber,
  allFailed: wholeNumber,
  allCompleted: wholeNumber,
});

/**
 * Purchases that are not deleted. `pending` and `failed`: not ended. `running`: completed, not ended and not expired,
 * with those in test mode. The last three also count ended and expired ones.
 */
export type PurchaseCounts = z.output<typeof purchaseCounts>;

const total = (...names: string[]): SQL =>
  sql`coalesce(sum(count) filter (where name = any(${sql.param(names)})), 0)`;

/** Pending purchases that were not ended, counted one by one. An index has them. */
const COUNTED_PENDING = sql`(select count(*) from ${userPurchases} where status = 'pending' and ended_at is null)`;

/** Passes are counted by quarters of an hour of their end. Those that end in the current one are counted one by one. */
export async function countPurchases(executor: Executor, now: Date): Promise<PurchaseCounts> {
  const current = sql`date_bin(${BUCKET}, ${now}::timestamptz, 'epoch'::timestamptz)`;
  const ending = (condition: SQL) => sql`(select count(*) from ${userPurchases}
    where expires_at > ${now} and expires_at < ${current} + ${BUCKET} and ended_at is null
      and status in ('completed', 'active') ${condition})`;
  const later = (...names: string[]) => sql`coalesce(sum(count) filter (
    where name = any(${sql.param(names)}) and bucket > ${current}), 0)`;
  const { failed, completed, completedInTestMode } = PURCHASES;
  const { rows } = await executor.execute(sql`
    select ${COUNTED_PENDING} as pending, ${total(failed)} as failed,
      ${later(completed, completedInTestMode)} + ${ending(sql``)} as running,
      ${later(completedInTestMode)} + ${ending(sql`and test_mode`)} as "runningInTestMode",
      ${COUNTED_PENDING} + ${total(PURCHASES.pendingAndEnded)} as "allPending",
      ${total(failed, PURCHASES.failedAndEnded)} as "allFailed",
      ${total(completed, completedInTestMode, PURCHASES.completedAndEnded)} as "allCompleted"
    from ${rowsOf(ALL_PURCHASE_COUNTERS)} counted`);
  return purchaseCounts.parse(rows[0]);
}

const tabCounts = z.object({
  users: wholeNumber,
  tools: wholeNumber,
  accessCodes: wholeNumber,
  purchases: wholeNumber,
  coupons: wholeNumber,
  credentials: wholeNumber,
});

export type TabCounts = z.output<typeof tabCounts>;

/** One statement, so that the counts belong together. */
export async function countTabs(executor: Executor): Promise<TabCounts> {
  const { rows } = await executor.execute(sql`
    select ${total(...ALL_USER_COUNTERS)} as users,
      ${COUNTED_PENDING} + ${total(...ALL_PURCHASE_COUNTERS)} as purchases,
      ${total(COUPONS)} as coupons,
      (select count(*) from ${tools} where ${tools.deletedAt} is null) as tools,
      (select count(*) from ${accessCodes}) as "accessCodes",
      (select count(*) from ${credentials}) as credentials
    from ${rowsOf([...ALL_USER_COUNTERS, ...ALL_PURCHASE_COUNTERS, COUPONS])} counted`);
  return tabCounts.parse(rows[0]);
}

const statisticsRow = z.object({
  totalUsers: wholeNumber,
  activeUsers: wholeNumber,
  totalPurchases: wholeNumber,
  totalRevenuePaise: wholeNumber,
  totalTools: wholeNumber,
  activeTools: wholeNumber,
});

export type DashboardStatistics = z.output<typeof statisticsRow>;

/** One statement: one round trip, one snapshot. */
export async function countStatistics(executor: Executor): Promise<DashboardStatistics> {
  const completed = [PURCHASES.completed, PURCHASES.completedInTestMode, PURCHASES.completedAndEnded];
  const active = ALL_USER_COUNTERS.filter((name) => name.endsWith(".active"));
  const { rows } = await executor.execute(sql`
    select ${total(...ALL_USER_COUNTERS)} as "totalUsers", ${total(...active)} as "activeUsers",
      ${total(...completed)} as "totalPurchases",
      coalesce(sum(paise) filter (where name = ${PAYMENTS}), 0) as "totalRevenuePaise",
      (select count(*) from ${tools} where ${tools.deletedAt} is null) as "totalTools",
      (select count(*) from ${tools} where ${tools.deletedAt} is null and ${tools.isActive}) as "activeTools"
    from ${rowsOf([...ALL_USER_COUNTERS, ...completed, PAYMENTS])} counted`);
  return statisticsRow.parse(rows[0]);
}
