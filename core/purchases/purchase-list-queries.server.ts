import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { type Direction, lastPageOf, PAGE_SIZE } from "../paging.ts";
import {
  matchColumns,
  matchKeys,
  offsetOf,
  orderBy,
  type PageOfIds,
  type SortKey,
} from "../select-page.server.ts";

type Sort = "createdAt" | "expiresAt";
type Status = "all" | "pending" | "completed" | "failed";

export interface Listed {
  status: Status;
  current: boolean;
  sort: Sort;
  direction: Direction;
  page: number;
}

export const PURCHASE_ID = sql`${userPurchases.id}`;
export const PURCHASES = sql`${userPurchases}`;

export const BY_CREATION: SortKey = { column: sql`${userPurchases.createdAt}` };
export const BY_EXPIRY: SortKey = { column: sql`${userPurchases.expiresAt}`, hasNulls: true };

/** The keys of the order, without the id. Unpaid purchases have no expiry, so they keep the order of their creation. */
export const sortKeys = ({ sort, status }: Pick<Listed, "sort" | "status">): SortKey[] =>
  sort === "createdAt" || status === "pending" || status === "failed"
    ? [BY_CREATION]
    : [BY_EXPIRY, BY_CREATION];

const isNotDeleted = sql`(${userPurchases.endedReason} is null
  or ${userPurchases.endedReason} not in ('deleted', 'user-deleted'))`;
const isPass = sql`${userPurchases.status} in ('completed', 'active')`;
/** The text of its index: the planner must recognise the condition. */
export const isUnpaid = sql`status in ('pending', 'failed')`;

/** Passes that are not ended and not expired, in SQL that one index answers. */
export const isRunning = (now: Date): SQL =>
  sql`${userPurchases.expiresAt} > ${now} and ${isPass} and ${userPurchases.endedAt} is null`;

const UNPAID: Record<"all" | "pending" | "failed", SQL> = {
  all: sql`${isUnpaid} and ${userPurchases.endedAt} is null`,
  pending: sql`${isUnpaid} and status = 'pending' and ${userPurchases.endedAt} is null`,
  failed: sql`${isUnpaid} and status = 'failed' and ${userPurchases.endedAt} is null`,
};

/** Which purchases a list shows: see `listPurchases`. */
export function isListed({ status, current }: Pick<Listed, "status" | "current">, now: Date): SQL {
  if (!current) {
    if (status === "all") return isNotDeleted;
    return status === "completed"
      ? sql`${isPass} and ${isNotDeleted}`
      : sql`${isUnpaid} and status = ${status} and ${isNotDeleted}`;
  }
  if (status === "completed") return isRunning(now);
  if (status !== "all") return UNPAID[status];
  return sql`(${UNPAID.all} or ${isRunning(now)})`;
}

/** The statement's parts for a list with ended and expired purchases. */
export function selectPurchasesWith(listed: Listed, now: Date) {
  const order = orderBy([...sortKeys(listed), { column: PURCHASE_ID }], listed.direction);
  return { from: PURCHASES, id: PURCHASE_ID, where: isListed(listed, now), order, page: listed.page };
}

/** More running passes than this are read in the order of the list and not collected first. */
const MAX_COLLECTED = 150_000;

/**
 * A page of the list without ended and expired purchases. Two indexes have its rows: that of unpaid purchases, and that of the
 * expiry. The newest or oldest rows of both are merged.
 */
export async function selectCurrentPurchases(
  executor: Executor,
  input: Listed & { now: Date; total: number; running: number },
): Promise<PageOfIds> {
  const { status, direction, total, now } = input;
  const page = Math.min(input.page, lastPageOf(total));
  const listKeys = sortKeys(input);
  const keys = [...listKeys, { column: PURCHASE_ID }];
  const columns = matchColumns(PURCHASE_ID, listKeys);
  const most = offsetOf(page) + PAGE_SIZE;
  const top = (from: SQL, where: SQL, order: readonly SortKey[]) =>
    sql`(select ${columns} from ${from} where ${where} order by ${orderBy(order, direction)} limit ${most})`;
  const parts: SQL[] = [];
  // Unpaid purchases have no expiry.
  if (status !== "completed")
    parts.push(top(PURCHASES, UNPAID[status], [BY_CREATION, { column: PURCHASE_ID }]));
  if (status === "completed" || status === "all") {
    const collected = sql`(select id, created_at, expires_at from ${userPurchases} where ${isRunning(now)} offset 0) user_purchases`;
    const inOrder = input.sort === "expiresAt" || input.running > MAX_COLLECTED;
    parts.push(inOrder ? top(PURCHASES, isRunning(now), keys) : top(collected, sql`true`, keys));
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
