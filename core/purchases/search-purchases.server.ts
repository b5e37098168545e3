import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database, Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { MAX_MATCHES, PAGE_SIZE } from "../paging.ts";
import { idRange, searchPattern } from "../search-pattern.ts";
import {
  collectMatches,
  distinctValues,
  matchColumns,
  NOTHING_FOUND,
  orderBy,
  type PageOfIds,
  type SortKey,
  withCustomPlans,
} from "../select-page.server.ts";
import {
  BY_CREATION,
  BY_EXPIRY,
  isListed,
  isRunning,
  isUnpaid,
  type Listed,
  PURCHASE_ID,
  PURCHASES,
  sortKeys,
} from "./purchase-list-queries.server.ts";

/*
 * The search of purchases. Its plans do not depend on the planner's estimate of how often a text occurs, which may be
 * wrong by orders of magnitude: each way to read is limited, and the number of accounts and names decides which is used.
 */

/** A search that matches more accounts than this reads the purchases in the order of the list. */
const MAX_USERS = 1_000;
const MAX_TOOL_NAMES = 1_000;
/** With more tool names than this, a page of their purchases is soon found in the order of the list. */
const FEW_TOOL_NAMES = 3;
/** How many purchases are read at most in the order of the list. */
const MAX_READ = 6_000;
const MAX_COLLECTED = 20_000;

interface Found {
  /** null: too many accounts match. */
  userIds: string[] | null;
  names: string[];
}

interface PurchaseSearch {
  listed: Listed;
  now: Date;
  names: string[];
  /** That the account matches. */
  byUser: SQL | undefined;
  /** That the id matches. */
  byId: SQL | undefined;
  hasTooManyUsers: boolean;
}

/**
 * A page of the purchases whose e-mail address or tool name contains `q`, or whose id begins with it; or the one purchase
 * that was paid with the payment or the payment order `q`. The addresses are searched among the accounts, and the names
 * among the different names: so the table of purchases, which grows with every sale, needs no index for searches.
 *
 * A text that matches many accounts is searched among the first purchases of the list only. Then the total is not exact.
 */
export async function searchPurchases(
  db: Database,
  listed: Listed & { q: string },
  now: Date,
): Promise<PageOfIds> {
  const pattern = searchPattern(listed.q);
  if (pattern === null) return NOTHING_FOUND;
  return withCustomPlans(db, async (tx) => {
    const paidId = await findPaidPurchase(tx, listed.q);
    if (paidId !== null) return selectOne(tx, { ...listed, purchaseId: paidId }, now);
    const { userIds, names } = await findUsersAndNames(tx, pattern);
    const range = idRange(listed.q);
    const byUsers =
      userIds && userIds.length > 0 ? sql`${userPurchases.userId} = any(${sql.param(userIds)})` : undefined;
    const search: PurchaseSearch = {
      ...{ listed, now, names },
      byUser: userIds === null ? sql`${userPurchases.userEmail} ilike ${pattern}` : byUsers,
      byId: range ? sql`${userPurchases.id} between ${range.from} and ${range.to}` : undefined,
      hasTooManyUsers: userIds === null,
    };
    if (search.byUser === undefined && search.byId === undefined && names.length === 0) return NOTHING_FOUND;
    await tx.execute(sql`set local enable_seqscan = off`);
    return selectSearchPage(tx, search);
  });
}

const purchaseIdRows = z.array(z.object({ purchaseId: z.string() }));

/** The purchase of a payment or a payment order by its id at the gateway, such as `pay_…` or `order_…`. */
async function findPaidPurchase(tx: Executor, gatewayId: string): Promise<string | null> {
  const { rows } = await tx.execute(sql`
    select ${paymentOrders.purchaseId} as "purchaseId" from ${paymentOrders}
    where ${paymentOrders.gatewayOrderId} = ${gatewayId}
    union all
    select ${paymentOrders.purchaseId} from ${paymentAttempts}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    where ${paymentAttempts.gatewayPaymentId} = ${gatewayId}`);
  return purchaseIdRows.parse(rows)[0]?.purchaseId ?? null;
}

/** The page with one purchase, or without it when the list does not show it. */
async function selectOne(
  tx: Executor,
  listed: Listed & { purchaseId: string },
  now: Date,
): Promise<PageOfIds> {
  const { rows } = await tx.execute(sql`select from ${PURCHASES}
    where ${PURCHASE_ID} = ${listed.purchaseId} and ${isListed(listed, now)}`);
  return rows.length === 0
    ? NOTHING_FOUND
    : { ids: [listed.purchaseId], page: 1, total: 1, totalIsExact: true };
}

async function selectSearchPage(tx: Executor, search: PurchaseSearch): Promise<PageOfIds> {
  const { listed, names, hasTooManyUsers } = search;
  // An index has the pending purchases, which are few.
  const isScannable = listed.status !== "pending";
  if (isScannable && hasTooManyUsers) return readInOrder(tx, search, MAX_READ);
  if (isScannable && (names.length > FEW_TOOL_NAMES || (names.length > 0 && !isByCreation(listed)))) {
    const first = await readInOrder(tx, search, MAX_READ);
    if (first.totalIsExact || (first.ids.length === PAGE_SIZE && first.page === listed.page)) return first;
  }
  const keys = sortKeys(listed);
  const input = { keys, direction: listed.direction, page: listed.page };
  const collected = await collectMatches(tx, { ...input, matches: matchesOf(search), most: MAX_COLLECTED });
  return collected ?? readInOrder(tx, search, MAX_READ);
}

const isByCreation = (listed: Listed): boolean => sortKeys(listed).length === 1;

/** Statements that find the matches: see `collectMatches`. */
function matchesOf({ listed, now, names, byUser, byId }: PurchaseSearch): SQL[] {
  const keys = sortKeys(listed);
  const base = isListed(listed, now);
  const find = (condition: SQL) => sql`select ${matchColumns(PURCHASE_ID, keys)} from ${PURCHASES}
    where ${base} and ${condition} limit ${MAX_COLLECTED + 1}`;
  const found = [byUser, byId].filter((condition) => condition !== undefined).map(find);
  if (names.length === 0) return found;
  if (!isByCreation(listed) || listed.status === "pending")
    return [...found, find(sql`${userPurchases.toolName} = any(${sql.param(names)})`)];
  // One index has the purchases of a name in this order.
  const order = orderBy([...keys, { column: PURCHASE_ID }], listed.direction);
  const ofName = sql`select ${matchColumns(PURCHASE_ID, keys)} from ${PURCHASES}
    where ${base} and ${sinceOldestRunning(listed, now)} and ${userPurchases.toolName} = name.value
    order by ${order} limit ${MAX_MATCHES + 1}`;
  const ofNames = sql`select first_of_name.* from unnest(${sql.param(names)}::text[]) name (value)
    cross join lateral (${ofName}) first_of_name`;
  return [...found, ofNames];
}

/** Passes that have not expired begin after all that expired before the oldest of them. */
function sinceOldestRunning({ status, current }: Listed, now: Date): SQL {
  if (!current || status !== "completed") return sql`true`;
  return sql`${userPurchases.createdAt} >= (select min(created_at) from ${PURCHASES} where ${isRunning(now)})`;
}

interface Part {
  /** A condition that is fulfilled by a range of the index that has the order. */
  range: SQL;
  keys: readonly SortKey[];
}

/** What the list consists of, in ranges that indexes have in its order. */
function partsOf(listed: Listed, now: Date): Part[] {
  const { status, current } = listed;
  const unpaid = { range: isUnpaid, keys: [BY_CREATION] };
  if (status === "failed" || status === "pending") return [unpaid];
  if (isByCreation(listed)) return [{ range: sinceOldestRunning(listed, now), keys: [BY_CREATION] }];
  const expiry = current
    ? sql`${userPurchases.expiresAt} > ${now}`
    : sql`${userPurchases.expiresAt} is not null`;
  const passes = { range: expiry, keys: [BY_EXPIRY, BY_CREATION] };
  return status === "completed" ? [passes] : [passes, unpaid];
}

/**
 * Reads each part of the list in its order until there are enough matches, at most `most` purchases. The total is not
 * exact when there are more.
 */
async function readInOrder(tx: Executor, search: PurchaseSearch, most: number): Promise<PageOfIds> {
  const { listed, now, names, byUser, byId } = search;
  const { direction, page } = listed;
  const keys = sortKeys(listed);
  const byName = names.length > 0 ? sql`${userPurchases.toolName} = any(${sql.param(names)})` : undefined;
  const conditions = [byUser, byName, byId].filter((condition) => condition !== undefined);
  const isMatch = sql`${isListed(listed, now)} and (${sql.join(conditions, sql` or `)})`;
  const parts = partsOf(listed, now);
  const matches = parts.map((part) => {
    const order = orderBy([...part.keys, { column: PURCHASE_ID }], direction);
    return sql`select ${matchColumns(PURCHASE_ID, keys)} from (
        select * from ${PURCHASES} where ${part.range} order by ${order} limit ${most}
      ) ${PURCHASES} where ${isMatch} order by ${order} limit ${MAX_MATCHES + 1}`;
  });
  // So that indexes are read in their order.
  await tx.execute(sql`set local enable_sort = off`);
  const found = await collectMatches(tx, { keys, direction, page, matches, most: Number.POSITIVE_INFINITY });
  const isCut = found?.totalIsExact && (await hasMoreThan(tx, parts, most));
  await tx.execute(sql`set local enable_sort = on`);
  return found ? { ...found, totalIsExact: found.totalIsExact && !isCut } : NOTHING_FOUND;
}

/** Whether a part has more than `most` purchases. */
async function hasMoreThan(tx: Executor, parts: readonly Part[], most: number): Promise<boolean> {
  for (const { range } of parts) {
    const { rows } = await tx.execute(sql`select from ${PURCHASES} where ${range} offset ${most} limit 1`);
    if (rows.length > 0) return true;
  }
  return false;
}

const foundSchema = z.object({ userIds: z.array(z.string()).nullable(), names: z.array(z.string()) });

async function findUsersAndNames(tx: Executor, pattern: string): Promise<Found> {
  const names = distinctValues(PURCHASES, sql`tool_name`);
  const { rows } = await tx.execute(sql`
    with found as materialized (
      select ${users.id} from ${users} where ${users.email} ilike ${pattern} and ${users.deletedAt} is null
      limit ${MAX_USERS + 1}
    )
    select case when (select count(*) from found) <= ${MAX_USERS} then array(select id from found) end as "userIds",
      array(select value from ${names} names where value ilike ${pattern} limit ${MAX_TOOL_NAMES}) as names`);
  return foundSchema.parse(rows[0]);
}
