import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database, Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { type Direction, lastPageOf, PAGE_SIZE } from "../paging.ts";
import { idRange, searchPattern } from "../search-pattern.ts";
import {
  distinctValues,
  matchColumns,
  matchKeys,
  NOTHING_FOUND,
  offsetOf,
  orderBy,
  type PageOfIds,
  type SortKey,
  selectSearchPage,
  withCustomPlans,
} from "../select-page.server.ts";

type Sort = "createdAt" | "expiresAt";
type Status = "all" | "pending" | "completed" | "failed";

interface Listed {
  status: Status;
  past: boolean;
  sort: Sort;
  direction: Direction;
  page: number;
}

const ID = sql`${userPurchases.id}`;
const FROM = sql`${userPurchases}`;

const BY_CREATION: SortKey = { column: sql`${userPurchases.createdAt}` };
const BY_EXPIRY: SortKey = { column: sql`${userPurchases.expiresAt}`, hasNulls: true };

/** The keys of the order, without the id. Unpaid purchases have no expiry, so they keep the order of their creation. */
const sortKeys = ({ sort, status }: Pick<Listed, "sort" | "status">): SortKey[] =>
  sort === "createdAt" || status === "pending" || status === "failed"
    ? [BY_CREATION]
    : [BY_EXPIRY, BY_CREATION];

const isNotDeleted = sql`(${userPurchases.endedReason} is null
  or ${userPurchases.endedReason} not in ('deleted', 'user-deleted'))`;
const isPass = sql`${userPurchases.status} in ('completed', 'active')`;
/** The text of its index: the planner must recognise the condition. */
const isUnpaid = sql`status in ('pending', 'failed')`;

/** Passes that are not ended and not expired, in SQL that one index answers. */
const isRunning = (now: Date): SQL =>
  sql`${userPurchases.expiresAt} > ${now} and ${isPass} and ${userPurchases.endedAt} is null`;

const UNPAID: Record<"all" | "pending" | "failed", SQL> = {
  all: sql`${isUnpaid} and ${userPurchases.endedAt} is null`,
  pending: sql`${isUnpaid} and status = 'pending' and ${userPurchases.endedAt} is null`,
  failed: sql`${isUnpaid} and status = 'failed' and ${userPurchases.endedAt} is null`,
};

/** Which purchases a list shows: see `listPurchases`. */
function isListed({ status, past }: Pick<Listed, "status" | "past">, now: Date): SQL {
  if (past) {
    if (status === "all") return isNotDeleted;
    return status === "completed"
      ? sql`${isPass} and ${isNotDeleted}`
      : sql`${isUnpaid} and status = ${status} and ${isNotDeleted}`;
  }
  if (status === "completed") return isRunning(now);
  if (status !== "all") return UNPAID[status];
  return sql`(${UNPAID.all} or ${isRunning(now)})`;
}

/** Read from the oldest on, passes that have not expired begin after all that expired before the oldest of them. */
function isSearched(listed: Pick<Listed, "status" | "past">, now: Date): SQL {
  const base = isListed(listed, now);
  if (listed.past || listed.status !== "completed") return base;
  return sql`${base} and ${userPurchases.createdAt} >= (select min(created_at) from ${FROM} where ${isRunning(now)})`;
}

/** The statement's parts for a list with past purchases. */
export function selectPurchasesWith(listed: Listed, now: Date) {
  const order = orderBy([...sortKeys(listed), { column: ID }], listed.direction);
  return { from: FROM, id: ID, where: isListed(listed, now), order, page: listed.page };
}

/** More running passes than this are read in the order of the list and not collected first. */
const MOST_COLLECTED = 150_000;

/**
 * A page of the list without past purchases. Two indexes have its rows: that of unpaid purchases, and that of the
 * expiry. The newest or oldest rows of both are merged.
 */
export async function selectCurrentPurchases(
  executor: Executor,
  input: Listed & { now: Date; total: number; running: number },
): Promise<PageOfIds> {
  const { status, direction, total, now } = input;
  const page = Math.min(input.page, lastPageOf(total));
  const listKeys = sortKeys(input);
  const keys = [...listKeys, { column: ID }];
  const columns = matchColumns(ID, listKeys);
  const most = offsetOf(page) + PAGE_SIZE;
  const top = (from: SQL, where: SQL, order: readonly SortKey[]) =>
    sql`(select ${columns} from ${from} where ${where} order by ${orderBy(order, direction)} limit ${most})`;
  const parts: SQL[] = [];
  // Unpaid purchases have no expiry.
  if (status !== "completed") parts.push(top(FROM, UNPAID[status], [BY_CREATION, { column: ID }]));
  if (status === "completed" || status === "all") {
    const collected = sql`(select id, created_at, expires_at from ${userPurchases} where ${isRunning(now)} offset 0) user_purchases`;
    const inOrder = input.sort === "expiresAt" || input.running > MOST_COLLECTED;
    parts.push(inOrder ? top(FROM, isRunning(now), keys) : top(collected, sql`true`, keys));
  }
  const mergeKeys = [...matchKeys(listKeys), { column: sql`id` }];
  const { rows } = await executor.execute(sql`
    select id from (${sql.join(parts, sql` union all `)}) merged
    order by ${orderBy(mergeKeys, direction)} limit ${PAGE_SIZE} offset ${offsetOf(page)}`);
  const ids = z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id);
  return { ids, page, total, totalIsExact: true };
}

/** A search that matches more accounts than this reads the purchases in the order of the list. */
const MOST_USERS = 2_000;
const MOST_TOOL_NAMES = 1_000;

/**
 * A page of the purchases whose e-mail address or tool name contains `q`, or whose id begins with it. The addresses are
 * searched among the accounts, and the names among the different names: so the table of purchases, which grows with
 * every sale, needs no index for searches.
 */
export async function searchPurchases(
  db: Database,
  listed: Listed & { q: string },
  now: Date,
): Promise<PageOfIds> {
  const pattern = searchPattern(listed.q);
  if (pattern === null) return NOTHING_FOUND;
  const found = await findUsersAndNames(db, pattern);
  const range = idRange(listed.q);
  const keys = sortKeys(listed);
  const base = isSearched(listed, now);
  const byName = sql`${userPurchases.toolName} = any(${sql.param(found.names)})`;
  const byId = range && sql`${userPurchases.id} between ${range.from} and ${range.to}`;
  const byUser = found.tooManyUsers
    ? sql`${userPurchases.userEmail} ilike ${pattern}`
    : sql`${userPurchases.userId} = any(${sql.param(found.userIds)})`;
  const conditions = [
    ...(found.tooManyUsers || found.userIds.length > 0 ? [byUser] : []),
    ...(found.names.length > 0 ? [byName] : []),
    ...(byId ? [byId] : []),
  ];
  if (conditions.length === 0) return NOTHING_FOUND;
  return selectSearchPage(db, {
    from: FROM,
    id: ID,
    keys,
    direction: listed.direction,
    where: sql`${base} and (${sql.join(conditions, sql` or `)})`,
    matches: (limit) =>
      conditions.map(
        (condition) =>
          sql`select ${matchColumns(ID, keys)} from ${FROM} where ${base} and ${condition} limit ${limit}`,
      ),
    page: listed.page,
    // The address in a purchase has no index.
    usesIndexesOnly: !found.tooManyUsers,
    // The oldest purchases have expired.
    hasMatchesLate: !found.tooManyUsers && !listed.past && listed.direction === "asc",
  });
}

const foundSchema = z.object({ userIds: z.array(z.string()), names: z.array(z.string()) });

async function findUsersAndNames(
  db: Database,
  pattern: string,
): Promise<{ userIds: string[]; tooManyUsers: boolean; names: string[] }> {
  const names = distinctValues(FROM, sql`tool_name`);
  const { rows } = await withCustomPlans(db, (tx) =>
    tx.execute(sql`
      select array(select ${users.id} from ${users} where ${users.email} ilike ${pattern}
          and ${users.deletedAt} is null limit ${MOST_USERS + 1}) as "userIds",
        array(select value from ${names} names where value ilike ${pattern} limit ${MOST_TOOL_NAMES}) as names`),
  );
  const found = foundSchema.parse(rows[0]);
  return { ...found, tooManyUsers: found.userIds.length > MOST_USERS };
}
