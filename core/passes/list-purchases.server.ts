import { and, desc, eq, inArray, lte, ne, not, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import {
  credits,
  paymentAttempts,
  paymentOrders,
  type UnknownPayment,
  unknownPayments,
} from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import {
  choice,
  type List,
  type ListInput,
  listFields,
  MAX_MATCHES,
  makeList,
  type PageOfIds,
} from "../lists/paging.ts";
import {
  distinctValues,
  idRange,
  type ListQuery,
  type SortKey,
  selectAllIds,
  selectListPage,
} from "../lists/select-page.server.ts";
import { paidOf, selectPaymentsOf } from "../paid.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import {
  IS_COMPLETED,
  IS_NOT_DELETED,
  IS_RENEWED,
  isActivePass,
  isActivePassRow,
  isInAcceptedMode,
  isRunning,
} from "../pass-validity.server.ts";
import { addDays } from "../time.ts";
import { normaliseReference } from "../typed-text.ts";
import { searchedPayerHashes } from "../vault/seal-payer.ts";
import { parseOrderNumber } from "./order-number.ts";
import { accessEndOf, calledStatus, wasCompleted } from "./purchase-states.ts";
import { accountExists, selectUserPurchases } from "./queries.server.ts";
import { parseSearchedAmount, type SearchedAmount } from "./search-terms.ts";

const PURCHASE_STATUSES = ["all", "running", "pending", "completed", "failed"] as const;

const inputSchema = z.object({
  ...listFields(["createdAt", "expiresAt"]),
  status: choice(PURCHASE_STATUSES),
  current: z.stringbool().or(z.boolean()).catch(false),
  ends: choice(["all", "1", "3", "7", "14"]),
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
  /** The part of the kept payments that the owner has refunded at the gateway. */
  refundedPaise: number;
  currency: string;
  /** As the filter names it. */
  status: "pending" | "completed" | "failed";
  /** As an old shop or an admin has called it: an imported pass may be 'active', which means the same as completed. */
  calledStatus: Purchase["status"];
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
  /** Nothing matches the search; the address of this one's buyer is only similar to it. */
  isSimilar: boolean;
}

/** A payment that is missing from the backup and that a search has found: it has no purchase. */
type FoundUnknownPayment = Pick<UnknownPayment, "gatewayPaymentId" | "amountPaise" | "paidAt" | "state">;

export interface PurchaseList extends List<ListedPurchase> {
  unknownPayments: FoundUnknownPayment[];
  /** With `ends`: the addresses of the buyers of all these passes, each once, at most 2,000; null otherwise. */
  addresses: string[] | null;
}

/**
 * The purchases, newest first unless the input says otherwise.
 *
 * With `current` it leaves out failed and expired ones, and those that were ended (refunded or cancelled). Deleted purchases are
 * never listed. Purchases of a deleted user remain, without the address, only if they were refunded or cancelled before.
 *
 * @param input `q`: a part of the e-mail address or of the tool's name, an order number in any case, with or without spaces,
 *   the beginning of the id of a purchase or a user (8 digits or more), the whole id of a payment or an order at the gateway
 *   (`pay_…`, `order_…`) or of a purchase in an old shop, a payer's phone number, UPI address or UTR, the
 *   reference of a sale by hand, or an amount in rupees, also
 *   with a day (`149 27/11`). When nothing matches an e-mail address, the purchases with similar ones are listed. `status`: all,
 *   running (passes that open now), pending, completed or failed; `current`: 1 or 0; `ends`: all, or the days within which an active
 *   pass ends that is not renewed, the first to end first; `sort`: createdAt or expiresAt; `direction`;
 *   `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listPurchases(ctx: Context, input: ListInput): Promise<PurchaseList> {
  requireAdmin(ctx, "reads");
  const now = ctx.clock.now();
  const listed = inputSchema.parse(input);
  const payers = searchedPayerHashes(ctx.ports.cipher, listed.q);
  const exact = await selectListPage(ctx.db, listedPurchases(ctx, listed, payers));
  const similar = exact.total === 0 ? await selectSimilarPage(ctx, listed) : null;
  const page = similar ?? exact;
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
      calledActive: userPurchases.calledActive,
      endedReason: userPurchases.endedReason,
      endedAt: userPurchases.endedAt,
      createdAt: userPurchases.createdAt,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      testMode: userPurchases.testMode,
      source: userPurchases.source,
    })
    .from(userPurchases)
    .where(and(inArray(userPurchases.id, page.ids), IS_NOT_DELETED));
  const payments = Map.groupBy(await selectPaymentsOf(ctx.db, page.ids), ({ purchaseId }) => purchaseId);
  const rows = found.map(({ startsAt, calledActive, ...row }) => {
    const status = row.status === "active" ? ("completed" as const) : row.status;
    const accessEndsAt = accessEndOf(row);
    const isExpired =
      status === "completed" && row.endedAt === null && accessEndsAt !== null && accessEndsAt <= now;
    const waitsUntil = waitsUntilOf({ ...row, startsAt }, now);
    const own = payments.get(row.id) ?? [];
    const paidPaise = paidOf(row, own)?.amountPaise ?? null;
    const kept = own.filter(({ outcome }) => outcome !== null && outcome !== "refund");
    const refundedPaise = kept.reduce((sum, payment) => sum + payment.refundedPaise, 0);
    const ends = { accessEndsAt, isExpired, waitsUntil, isSimilar: similar !== null };
    return {
      ...row,
      status,
      calledStatus: calledStatus({ ...row, calledActive }),
      paidPaise,
      refundedPaise,
      ...ends,
    };
  });
  return {
    ...makeList(page, rows),
    unknownPayments: await findUnknownPayments(ctx.db, listed.q, payers),
    addresses: listed.ends === "all" ? null : await selectAddresses(ctx, listed),
  };
}

/** Only the newest purchases of a user are listed. */
const PURCHASES_LISTED = 200;

const listUserPurchasesInput = z.object({ userId: z.uuid() });

/** A purchase of a user, as an admin sees it. */
export interface UserPurchase {
  id: string;
  /** null: an imported purchase of a tool that the shop does not know. */
  toolId: string | null;
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

type Listed = z.output<typeof inputSchema>;

const PURCHASES = sql`${userPurchases}`;

/** The ids of all purchases of a list, `most` at most; without those whose addresses are only similar. */
export function selectPurchaseIds(ctx: AuthorisedContext, input: ListInput, most: number): Promise<string[]> {
  const listed = inputSchema.parse(input);
  const payers = searchedPayerHashes(ctx.ports.cipher, listed.q);
  return selectAllIds(ctx.db, listedPurchases(ctx, listed, payers), most);
}

/** See `listPurchases`. */
function listedPurchases(ctx: AuthorisedContext, listed: Listed, payers: readonly string[]): ListQuery {
  const { q } = listed;
  const range = idRange(q);
  const orderNumber = parseOrderNumber(q);
  const reference = normaliseReference(q);
  const amount = parseSearchedAmount(q, ctx.clock.now(), ctx.store.timeZone);
  const byId = [
    sql`${userPurchases.id} in (${purchasesPaidWith(q)})`,
    sql`${userPurchases.id} in (${purchasesImportedFrom(q)})`,
    ...(orderNumber ? [sql`${userPurchases.orderNumber} = ${orderNumber}`] : []),
    ...(range
      ? [userPurchases.id, userPurchases.userId].map(
          (column) => sql`${column} between ${range.from} and ${range.to}`,
        )
      : []),
    ...(reference ? [sql`${userPurchases.id} in (${purchasesCreditedWith(reference)})`] : []),
    ...(payers.length > 0 ? [sql`${userPurchases.id} in (${purchasesPaidBy(payers)})`] : []),
    ...(amount ? [hasAmount(amount)] : []),
  ];
  return {
    ...pageOf(ctx, listed),
    q,
    // Addresses are searched in the accounts, and names of tools in the distinct names: the table of purchases grows
    // with every sale and needs no index for parts of texts.
    search: (matches) => [
      sql`${userPurchases.userId} in (select ${users.id} from ${users}
        where ${matches(users.email)} and ${users.deletedAt} is null)`,
      sql`${userPurchases.toolName} in (select value from ${distinctValues(PURCHASES, sql`tool_name`)} names
        where ${matches(sql`value`, "name")})`,
      ...byId,
      ...(amount ? [sql`${userPurchases.id} in (${purchasesPaidAmount(amount)})`] : []),
    ],
    searchInOrder: (matches) => [
      matches(userPurchases.userEmail),
      matches(userPurchases.toolName, "name"),
      ...byId,
    ],
  };
}

/** How similar the part before the "@" has to be, from 0 to 1: one letter of five may differ. */
const SIMILARITY = 0.45;
const SIMILAR_ADDRESSES = 5;

/** The purchases of the accounts whose addresses are nearly the searched one; null when it is no address, or none is. */
async function selectSimilarPage(ctx: AuthorisedContext, listed: Listed): Promise<PageOfIds | null> {
  const [name, host] = listed.q.split("@");
  if (!name || host === undefined) return null;
  const found = await inTransaction(ctx.db, async (tx) => {
    await tx.execute(
      sql`select set_config('pg_trgm.word_similarity_threshold', ${String(SIMILARITY)}, true)`,
    );
    // The host is left to the order: most addresses have one of few, and a wrong one is a mistake too.
    return tx
      .select({ id: users.id })
      .from(users)
      .where(sql`${name} <% ${users.email} and ${users.deletedAt} is null`)
      .orderBy(sql`similarity(${users.email}, ${listed.q}) desc`, users.id)
      .limit(SIMILAR_ADDRESSES);
  });
  const page = pageOf(ctx, listed);
  const ofThem = sql`${userPurchases.userId} = any(${sql.param(found.map(({ id }) => id))}::uuid[])`;
  const similar = await selectListPage(ctx.db, {
    ...page,
    q: "",
    listed: sql`${page.listed} and ${ofThem}`,
    search: () => [],
  });
  return similar.total === 0 ? null : similar;
}

function pageOf(ctx: Context, listed: Listed) {
  const { page, row } = listed;
  // The first to end is the first to talk to.
  const direction = listed.ends === "all" || listed.sort === "expiresAt" ? listed.direction : "asc";
  const id = sql`${userPurchases.id}`;
  return { direction, page, row, from: PURCHASES, id, listed: isListed(ctx, listed), keys: sortKeys(listed) };
}

/** Unpaid purchases have no expiry, so they keep the order of their creation. */
function sortKeys({ sort, status, ends }: Listed): SortKey[] {
  const byCreation = { column: sql`${userPurchases.createdAt}` };
  if (ends !== "all") return [{ column: sql`${userPurchases.expiresAt}` }, byCreation];
  if (sort === "createdAt" || status === "pending" || status === "failed") return [byCreation];
  return [{ column: sql`${userPurchases.expiresAt}`, hasNulls: true }, byCreation];
}

/** The addresses of the buyers whose passes are listed, without a search. */
async function selectAddresses(ctx: AuthorisedContext, listed: Listed): Promise<string[]> {
  const rows = await ctx.db
    .selectDistinct({ email: userPurchases.userEmail })
    .from(userPurchases)
    .where(isListed(ctx, listed))
    .orderBy(userPurchases.userEmail)
    .limit(MAX_MATCHES);
  return rows.map(({ email }) => email);
}

function isListed(ctx: Context, { status, current, ends }: Listed): SQL {
  const now = ctx.clock.now();
  if (ends !== "all")
    return sql`(${and(
      isActivePass(ctx),
      lte(userPurchases.expiresAt, addDays(now, Number(ends))),
      not(IS_RENEWED),
      // A disabled account cannot renew.
      sql`${userPurchases.userId} in (select ${users.id} from ${users} where ${users.isActive})`,
    )})`;
  if (status === "running")
    return sql`${isRunning(now)} and ${and(lte(userPurchases.startsAt, now), isInAcceptedMode(ctx))}`;
  if (status === "completed") return current ? isRunning(now) : sql`${IS_COMPLETED} and ${IS_NOT_DELETED}`;
  if (!current)
    return status === "all" ? IS_NOT_DELETED : sql`${userPurchases.status} = ${status} and ${IS_NOT_DELETED}`;
  if (status === "failed") return sql`false`;
  const isOpen = sql`${userPurchases.status} = 'pending' and ${userPurchases.endedAt} is null`;
  return status === "all" ? sql`(${isOpen} or ${isRunning(now)})` : isOpen;
}

/** Purchases with this price, also unpaid ones. */
function hasAmount({ paise, day }: SearchedAmount): SQL {
  const isPrice = sql`${userPurchases.amountPaise} = ${paise}`;
  return day
    ? sql`${isPrice} and ${userPurchases.createdAt} >= ${day.from} and ${userPurchases.createdAt} < ${day.until}`
    : isPrice;
}

/** The purchases of captured payments of this amount, which differs from the price where a fee or an offer was added. */
function purchasesPaidAmount({ paise, day }: SearchedAmount): SQL {
  const paidAt = sql`coalesce(${paymentAttempts.capturedAt}, ${paymentAttempts.createdAt})`;
  const isOfDay = day ? sql`and ${paidAt} >= ${day.from} and ${paidAt} < ${day.until}` : sql``;
  return sql`select ${paymentOrders.purchaseId} from ${paymentAttempts}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    where ${paymentAttempts.status} = 'captured' and ${paymentAttempts.amountPaise} = ${paise} ${isOfDay}
    limit ${MAX_MATCHES + 1}`;
}

function purchasesPaidBy(payers: readonly string[]): SQL {
  return sql`select ${paymentOrders.purchaseId} from ${paymentAttempts}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    where ${paymentAttempts.payerHashes} && ${sql.param(payers)}::text[]`;
}

/** The sales by hand with this reference. The index begins with the way. */
function purchasesCreditedWith(reference: string): SQL {
  return sql`select ${paymentOrders.purchaseId} from ${credits}
    join ${paymentAttempts} on ${paymentAttempts.id} = ${credits.attemptId}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    where ${inArray(credits.way, credits.way.enumValues)} and ${eq(credits.reference, reference)}`;
}

/** Payments that are missing from the backup and have become no purchase; only a restored shop has some. */
async function findUnknownPayments(
  db: Database,
  q: string,
  payers: readonly string[],
): Promise<FoundUnknownPayment[]> {
  if (q === "") return [];
  const { gatewayPaymentId, gatewayOrderId, amountPaise, paidAt, payerHashes, state } = unknownPayments;
  return db
    .select({ gatewayPaymentId, amountPaise, paidAt, state })
    .from(unknownPayments)
    .where(
      and(
        ne(state, "assigned"),
        or(
          eq(gatewayPaymentId, q),
          eq(gatewayOrderId, q),
          sql`${payerHashes} && ${sql.param(payers)}::text[]`,
        ),
      ),
    )
    .orderBy(desc(paidAt))
    .limit(SIMILAR_ADDRESSES);
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
