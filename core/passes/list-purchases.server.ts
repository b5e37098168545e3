import { inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import { parseOrderNumber } from "../order-number.ts";
import {
  choice,
  type Direction,
  inOrderOf,
  type List,
  type ListInput,
  listFields,
  PAGE_SIZE,
} from "../paging.ts";
import { paidOf, selectPaymentsOf } from "../paid.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { IS_COMPLETED, IS_NOT_DELETED, isActivePassRow, isRunning } from "../pass-validity.server.ts";
import {
  distinctValues,
  idRange,
  type PageOfIds,
  type SortKey,
  selectListPage,
} from "../select-page.server.ts";
import { accessEndOf, wasCompleted } from "./purchase-states.ts";
import { accountExists, selectUserPurchases } from "./queries.server.ts";

const PURCHASE_STATUSES = ["all", "pending", "completed", "failed"] as const;

const inputSchema = z.object({
  ...listFields(["createdAt", "expiresAt"]),
  status: choice(PURCHASE_STATUSES),
  current: z.stringbool().or(z.boolean()).catch(false),
});

export interface ListedPurchase {
  id: string;
  orderNumber: string;
  userId: string;
  userEmail: string;
  toolName: string;
  amountPaise: number;
  /** What was paid for it; null: no payment was captured. */
  paidPaise: number | null;
  /** Of what was kept: what the owner has refunded at the gateway. */
  refundedPaise: number;
  currency: string;
  /** As the filter names it. */
  status: "pending" | "completed" | "failed";
  /** As it is stored: an imported purchase may be 'active', which means the same as completed. */
  storedStatus: Purchase["status"];
  /** Why a purchase ended early; shown in place of the status. */
  endedReason: Purchase["endedReason"];
  endedAt: Date | null;
  createdAt: Date;
  /** null before a purchase is completed. */
  expiresAt: Date | null;
  /** When access ends or has ended; null without a pass. */
  accessEndsAt: Date | null;
  /** Whether it is a pass that has expired and was not ended before. */
  isExpired: boolean;
  /** When a pass starts that waits; null for any other. */
  waitsUntil: Date | null;
  testMode: boolean;
  source: Purchase["source"];
}

/**
 * The purchases, newest first unless the input says otherwise.
 *
 * With `current` it leaves out expired ones and those that were ended (refunded or cancelled). Deleted purchases are never
 * listed. Of a deleted user, only those remain that were refunded or cancelled before, without the address.
 *
 * @param input `q`: a part of the e-mail address or of the tool's name, an order number in any case, with or without spaces,
 *   the beginning of a purchase's id (8 digits or more), or the whole id of a payment or an order at the gateway (`pay_…`,
 *   `order_…`) or of a purchase in an old shop; `status`: all, pending, completed or failed; `current`: 1 or 0; `sort`:
 *   createdAt or expiresAt; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listPurchases(ctx: Context, input: ListInput): Promise<List<ListedPurchase>> {
  requireAdmin(ctx, "reads");
  const now = ctx.clock.now();
  const { ids, ...facts } = await selectPurchasePage(ctx.db, inputSchema.parse(input), now);
  const found = await ctx.db
    .select({
      id: userPurchases.id,
      orderNumber: userPurchases.orderNumber,
      userId: userPurchases.userId,
      userEmail: userPurchases.userEmail,
      toolName: userPurchases.toolName,
      amountPaise: userPurchases.amountPaise,
      currency: userPurchases.currency,
      status: userPurchases.status,
      endedReason: userPurchases.endedReason,
      endedAt: userPurchases.endedAt,
      createdAt: userPurchases.createdAt,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      testMode: userPurchases.testMode,
      source: userPurchases.source,
    })
    .from(userPurchases)
    .where(inArray(userPurchases.id, ids));
  const payments = groupBy(await selectPaymentsOf(ctx.db, ids), ({ purchaseId }) => purchaseId);
  const rows = found.map(({ startsAt, ...row }) => {
    const status = row.status === "active" ? ("completed" as const) : row.status;
    const accessEndsAt = accessEndOf(row);
    const isExpired =
      status === "completed" && row.endedAt === null && accessEndsAt !== null && accessEndsAt <= now;
    const waitsUntil = waitsUntilOf({ ...row, startsAt }, now);
    const own = payments.get(row.id) ?? [];
    const paidPaise = paidOf(row, own)?.amountPaise ?? null;
    const kept = own.filter(({ outcome }) => outcome !== null && outcome !== "refund");
    const refundedPaise = kept.reduce((sum, payment) => sum + payment.refundedPaise, 0);
    const ends = { accessEndsAt, isExpired, waitsUntil };
    return { ...row, status, storedStatus: row.status, paidPaise, refundedPaise, ...ends };
  });
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}

/** Only the newest purchases of a user are listed. */
const PURCHASES_LISTED = 200;

const listUserPurchasesInput = z.object({ userId: z.uuid() });

/** A purchase of a user, as an admin sees it. */
export interface UserPurchase {
  id: string;
  /** The tool as it is now; null when it is deleted or unknown. */
  toolName: string | null;
  description: string | null;
  /** The tool's name at the time of the purchase. */
  purchasedName: string;
  amountPaise: number;
  status: Purchase["status"];
  /** Why it ended early; null: it did not. */
  endedReason: Purchase["endedReason"];
  source: Purchase["source"];
  testMode: boolean;
  purchasedAt: Date;
  /** null while nothing is paid. */
  expiresAt: Date | null;
  /** When access ends or has ended; null without a pass. */
  accessEndsAt: Date | null;
  /** It opens the tool now. */
  isActive: boolean;
  /** When a pass starts that waits; null for any other. */
  waitsUntil: Date | null;
}

/**
 * The purchases of a user, newest first, at most 200. Deleted ones are left out.
 *
 * @throws DomainError unauthenticated, forbidden, not-found, invalid-input
 */
export async function listUserPurchases(
  ctx: Context,
  input: z.input<typeof listUserPurchasesInput> | UntrustedInput,
): Promise<UserPurchase[]> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(listUserPurchasesInput, input);
  if (!(await accountExists(ctx.db, userId))) throw new DomainError("not-found");
  const now = ctx.clock.now();
  const rows = await selectUserPurchases(ctx.db, { userId, limit: PURCHASES_LISTED });
  return rows.map(({ startsAt, endedAt, ...row }) => ({
    ...row,
    accessEndsAt: accessEndOf({ ...row, endedAt }),
    isActive: isActivePassRow({ ...row, startsAt, endedAt }, now),
    waitsUntil: waitsUntilOf({ ...row, startsAt, endedAt }, now),
  }));
}

/** When a pass starts that was paid and has not begun, as a renewal; null for any other purchase. */
function waitsUntilOf(purchase: Pick<Purchase, "status" | "startsAt" | "endedAt">, now: Date): Date | null {
  const { startsAt, endedAt } = purchase;
  return wasCompleted(purchase) && endedAt === null && startsAt !== null && startsAt > now ? startsAt : null;
}

interface Listed {
  q: string;
  status: "all" | "pending" | "completed" | "failed";
  current: boolean;
  sort: "createdAt" | "expiresAt";
  direction: Direction;
  page: number;
}

const PURCHASES = sql`${userPurchases}`;

/** A page of the purchases: see `listPurchases`. */
function selectPurchasePage(db: Database, listed: Listed, now: Date): Promise<PageOfIds> {
  const { q, direction, page } = listed;
  const range = idRange(q);
  const orderNumber = parseOrderNumber(q);
  const byId = [
    sql`${userPurchases.id} in (${purchasesPaidWith(q)})`,
    sql`${userPurchases.id} in (${purchasesImportedFrom(q)})`,
    ...(orderNumber ? [sql`${userPurchases.orderNumber} = ${orderNumber}`] : []),
    ...(range ? [sql`${userPurchases.id} between ${range.from} and ${range.to}`] : []),
  ];
  return selectListPage(db, {
    q,
    direction,
    page,
    from: PURCHASES,
    id: sql`${userPurchases.id}`,
    listed: isListed(listed, now),
    keys: sortKeys(listed),
    // Addresses are searched in the accounts, and names of tools in the distinct names: the table of purchases grows
    // with every sale and needs no index for parts of texts.
    search: (pattern) => [
      sql`${userPurchases.userId} in (select ${users.id} from ${users}
        where ${users.email} ilike ${pattern} and ${users.deletedAt} is null)`,
      sql`${userPurchases.toolName} in (select value from ${distinctValues(PURCHASES, sql`tool_name`)} names
        where value ilike ${pattern})`,
      ...byId,
    ],
    searchInOrder: (pattern) => [
      sql`${userPurchases.userEmail} ilike ${pattern}`,
      sql`${userPurchases.toolName} ilike ${pattern}`,
      ...byId,
    ],
  });
}

/** Unpaid purchases have no expiry, so they keep the order of their creation. */
function sortKeys({ sort, status }: Listed): SortKey[] {
  const byCreation = { column: sql`${userPurchases.createdAt}` };
  if (sort === "createdAt" || status === "pending" || status === "failed") return [byCreation];
  return [{ column: sql`${userPurchases.expiresAt}`, hasNulls: true }, byCreation];
}

function isListed({ status, current }: Listed, now: Date): SQL {
  if (status === "completed") return current ? isRunning(now) : sql`${IS_COMPLETED} and ${IS_NOT_DELETED}`;
  const unpaid =
    status === "all"
      ? sql`${userPurchases.status} in ('pending', 'failed')`
      : sql`${userPurchases.status} = ${status}`;
  if (!current) return status === "all" ? IS_NOT_DELETED : sql`${unpaid} and ${IS_NOT_DELETED}`;
  const isOpen = sql`${unpaid} and ${userPurchases.endedAt} is null`;
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

/** The purchase that a document of an old shop became, by the id that it had there. */
function purchasesImportedFrom(documentId: string): SQL {
  return sql`select ${importedDocuments.becameId} from ${importedDocuments}
    where ${importedDocuments.collection} in ('user_purchases', 'purchases')
      and ${importedDocuments.documentId} = ${documentId} and ${importedDocuments.becameTable} = 'user_purchases'`;
}
