import { type SQL, sql } from "drizzle-orm";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Direction } from "../paging.ts";
import { IS_COMPLETED, IS_NOT_DELETED, isRunning } from "../pass-validity.server.ts";
import { idRange } from "../search-pattern.ts";
import { distinctValues, type PageOfIds, type SortKey, selectListPage } from "../select-page.server.ts";

interface Listed {
  q: string;
  status: "all" | "pending" | "completed" | "failed";
  current: boolean;
  sort: "createdAt" | "expiresAt";
  direction: Direction;
  page: number;
}

const { id, userId, userEmail, toolName, status: stored, createdAt, expiresAt, endedAt } = userPurchases;
const PURCHASES = sql`${userPurchases}`;

/** A page of the purchases: see `listPurchases`. */
export function selectPurchasePage(db: Database, listed: Listed, now: Date): Promise<PageOfIds> {
  const { q, direction, page } = listed;
  const range = idRange(q);
  const byId = [
    sql`${id} in (${purchasesPaidWith(q)})`,
    ...(range ? [sql`${id} between ${range.from} and ${range.to}`] : []),
  ];
  return selectListPage(db, {
    ...{ q, direction, page, from: PURCHASES, id: sql`${id}` },
    ...{ listed: isListed(listed, now), keys: sortKeys(listed) },
    // The addresses are searched among the accounts and the names among the different names, so that the table of purchases,
    // which grows with every sale, needs no index for parts of texts.
    search: (pattern) => [
      sql`${userId} in (select ${users.id} from ${users}
        where ${users.email} ilike ${pattern} and ${users.deletedAt} is null)`,
      sql`${toolName} in (select value from ${distinctValues(PURCHASES, sql`tool_name`)} names
        where value ilike ${pattern})`,
      ...byId,
    ],
    searchInOrder: (pattern) => [
      sql`${userEmail} ilike ${pattern}`,
      sql`${toolName} ilike ${pattern}`,
      ...byId,
    ],
  });
}

/** Unpaid purchases have no expiry, so they keep the order of their creation. */
function sortKeys({ sort, status }: Listed): SortKey[] {
  const byCreation = { column: sql`${createdAt}` };
  if (sort === "createdAt" || status === "pending" || status === "failed") return [byCreation];
  return [{ column: sql`${expiresAt}`, hasNulls: true }, byCreation];
}

function isListed({ status, current }: Listed, now: Date): SQL {
  if (status === "completed") return current ? isRunning(now) : sql`${IS_COMPLETED} and ${IS_NOT_DELETED}`;
  const unpaid = status === "all" ? sql`${stored} in ('pending', 'failed')` : sql`${stored} = ${status}`;
  if (!current) return status === "all" ? IS_NOT_DELETED : sql`${unpaid} and ${IS_NOT_DELETED}`;
  const isOpen = sql`${unpaid} and ${endedAt} is null`;
  return status === "all" ? sql`(${isOpen} or ${isRunning(now)})` : isOpen;
}

/** The purchase of a payment or a payment order by its id at the gateway, such as `pay_…` or `order_…`. */
function purchasesPaidWith(gatewayId: string): SQL {
  return sql`select ${paymentOrders.purchaseId} from ${paymentOrders}
    where ${paymentOrders.gatewayOrderId} = ${gatewayId}
    union all
    select ${paymentOrders.purchaseId} from ${paymentAttempts}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    where ${paymentAttempts.gatewayPaymentId} = ${gatewayId}`;
}
