import { and, desc, eq, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { tools } from "#db/tables/catalog.ts";
import { credits, paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { type AuthorisedContext, requireSignedIn } from "../authorise.ts";
import { IS_ON_SALE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { CORE_MESSAGES, DomainError } from "../errors.ts";
import {
  type BuyersRefundStatus,
  buyersRefundStatus,
  isHeldByDispute,
  type Paid,
  paidOf,
} from "../paid.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { accessEndOf, isOpenCheckout, wasCompleted, wasDeclined } from "./purchase-states.ts";

type PurchaseColumns =
  | "id"
  | "orderNumber"
  | "toolName"
  | "optionLabel"
  | "validityDays"
  | "listPricePaise"
  | "discountPaise"
  | "couponCode"
  | "amountPaise"
  | "source"
  | "testMode"
  | "createdAt";

/** One purchase of a buyer. Amounts are in paise, names and prices as they were at the time of the purchase. */
export interface MyPurchase extends Pick<Purchase, PurchaseColumns> {
  status: PurchaseOutcome;
  /** Where the tool is sold; null if it is not in the catalogue any more. */
  toolSlug: string | null;
  /** Whether its tool is sold in the chat only. */
  contactOnly: boolean;
  /** null if the purchase never became a pass. */
  startsAt: Date | null;
  /** When access ends or has ended. */
  accessEndsAt: Date | null;
  /** What was paid for it; null: nothing was captured. */
  paid: Paid | null;
  /** The captured payments, oldest first: one, unless the buyer has paid twice. */
  payments: readonly PurchasePayment[];
  /** Oldest payment first. */
  refunds: readonly PurchaseRefund[];
  /**
   * Why the last payment attempt of a purchase without a payment failed, in the gateway's words for the buyer; null if there is
   * none.
   */
  declined: string | null;
}

interface PurchasePayment {
  gateway: string;
  gatewayPaymentId: string;
  /** The reference of a payment without a gateway, such as the UTR of a transfer; null for any other. */
  reference: string | null;
  /** As the gateway names it, such as `upi`; null when it does not. */
  method: string | null;
  amountPaise: number;
  paidAt: Date;
}

/** A refund, or with the status charged-back what the bank has paid back in a dispute. */
interface PurchaseRefund {
  status: BuyersRefundStatus;
  amountPaise: number;
  /** When it got this status. */
  at: Date;
}

/** What became of a purchase, for its buyer. */
export type PurchaseOutcome =
  /** The checkout is open and nothing was paid yet. */
  | "awaiting-payment"
  /** A payment was seen and is not captured yet. */
  | "confirming"
  | "not-paid"
  /** A payment was authorised and left uncaptured. */
  | "not-charged"
  | "not-started"
  | "active"
  | "expired"
  | "cancelled"
  /** The bank has paid the buyer back. */
  | "charged-back"
  /** A longer pass for the tool took its place when the old shop was imported. */
  | "replaced"
  | "refund-started"
  /** The buyer disputes the payment at the bank, which has not decided. */
  | "refund-held"
  | "refunded";

/** Purchases of one page. */
const PURCHASES_PER_PAGE = 10;

const inputSchema = z.object({ page: z.coerce.number().int().min(1).max(100_000).catch(1) });

export interface MyPurchases {
  /** Newest first. */
  purchases: MyPurchase[];
  /** From 1. The last page, when a later page was requested. */
  page: number;
  pages: number;
  total: number;
}

/**
 * One page of the signed-in person's purchases in every state, without those that an admin has deleted.
 *
 * @param input `page` from 1; anything else is the first page
 * @throws DomainError unauthenticated
 */
export async function listMyPurchases(
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<MyPurchases> {
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  const where = isPurchaseOf(userId);
  const total = await ctx.db.$count(userPurchases, where);
  const pages = Math.max(1, Math.ceil(total / PURCHASES_PER_PAGE));
  const page = Math.min(inputSchema.parse(input).page, pages);
  const offset = (page - 1) * PURCHASES_PER_PAGE;
  return {
    purchases: await selectPurchases(ctx, { where, limit: PURCHASES_PER_PAGE, offset }),
    page,
    pages,
    total,
  };
}

const getMyPurchaseInput = z.object({ purchaseId: z.uuid(CORE_MESSAGES["purchase-not-found"]) });

/**
 * One purchase of the signed-in person, for its receipt. A purchase of somebody else is 'purchase-not-found', also for an admin.
 *
 * @throws DomainError unauthenticated, purchase-not-found, invalid-input
 */
export async function getMyPurchase(
  ctx: Context,
  input: z.input<typeof getMyPurchaseInput> | UntrustedInput,
): Promise<MyPurchase> {
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  const { purchaseId } = parseInput(getMyPurchaseInput, input);
  const where = and(eq(userPurchases.id, purchaseId), isPurchaseOf(userId));
  const [purchase] = await selectPurchases(ctx, { where, limit: 1 });
  if (purchase === undefined) throw new DomainError("purchase-not-found");
  return purchase;
}

/** The purchases that a buyer sees: all but those that an admin has deleted. */
function isPurchaseOf(userId: string): SQL | undefined {
  return and(
    eq(userPurchases.userId, userId),
    or(isNull(userPurchases.endedReason), ne(userPurchases.endedReason, "deleted")),
  );
}

/** Purchases with their payments and refunds, newest first. */
async function selectPurchases(
  ctx: AuthorisedContext,
  input: { where: SQL | undefined; limit: number; offset?: number },
): Promise<MyPurchase[]> {
  const rows = await ctx.db
    .select({
      id: userPurchases.id,
      orderNumber: userPurchases.orderNumber,
      toolName: userPurchases.toolName,
      optionLabel: userPurchases.optionLabel,
      validityDays: userPurchases.validityDays,
      listPricePaise: userPurchases.listPricePaise,
      discountPaise: userPurchases.discountPaise,
      couponCode: userPurchases.couponCode,
      amountPaise: userPurchases.amountPaise,
      source: userPurchases.source,
      testMode: userPurchases.testMode,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      endedAt: userPurchases.endedAt,
      createdAt: userPurchases.createdAt,
      status: userPurchases.status,
      endedReason: userPurchases.endedReason,
      toolSlug: sql<string | null>`case when ${IS_ON_SALE} then ${tools.slug} end`,
      contactOnly: sql<boolean>`coalesce(${tools.contactOnly}, false)`,
    })
    .from(userPurchases)
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(input.where)
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(input.limit)
    .offset(input.offset ?? 0);
  const payments = await selectPayments(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map(({ endedReason, endedAt, status, startsAt, expiresAt, ...row }) => {
    const own = payments.filter(({ purchaseId }) => purchaseId === row.id);
    const { paymentSeen, uncaptured, ...money } = summarise(own);
    const stored = { ...row, status, endedReason, endedAt, startsAt, expiresAt };
    const facts = { ...stored, refunds: money.refunds, paymentSeen, uncaptured };
    return {
      ...row,
      ...money,
      paid: paidOf({ ...row, status }, own),
      ...accessTimesOf(stored),
      status: purchaseOutcome(facts, ctx.clock.now()),
    };
  });
}

/** When access starts and ends. A pass that was ended before its start never gave access. */
function accessTimesOf(
  purchase: Pick<Purchase, "status" | "startsAt" | "expiresAt" | "endedAt" | "endedReason">,
): Pick<MyPurchase, "startsAt" | "accessEndsAt"> {
  const { startsAt, endedAt } = purchase;
  const neverBegan = startsAt !== null && endedAt !== null && endedAt <= startsAt;
  if (!wasCompleted(purchase) || neverBegan) return { startsAt: null, accessEndsAt: null };
  return { startsAt, accessEndsAt: accessEndOf(purchase) };
}

type PaymentRow = Awaited<ReturnType<typeof selectPayments>>[number];

/** Every payment of the purchases, oldest first, each with its refund. */
function selectPayments(ctx: AuthorisedContext, purchaseIds: readonly string[]) {
  return (
    ctx.db
      .select({
        purchaseId: paymentOrders.purchaseId,
        gateway: paymentOrders.gateway,
        gatewayPaymentId: paymentAttempts.gatewayPaymentId,
        reference: credits.reference,
        method: paymentAttempts.method,
        status: paymentAttempts.status,
        outcome: paymentAttempts.outcome,
        uncapturedReason: paymentAttempts.uncapturedReason,
        errorDescription: paymentAttempts.errorDescription,
        amountPaise: paymentAttempts.amountPaise,
        buyerFeePaise: paymentAttempts.buyerFeePaise,
        refundedPaise: paymentAttempts.refundedPaise,
        lostPaise: paymentAttempts.lostPaise,
        capturedAt: paymentAttempts.capturedAt,
        updatedAt: paymentAttempts.updatedAt,
        isHeld: sql<boolean>`${isHeldByDispute(paymentAttempts.gatewayPaymentId)}`,
        refund: {
          status: refunds.status,
          amountPaise: refunds.amountPaise,
          reason: refunds.reason,
          at: refunds.updatedAt,
        },
      })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
      .leftJoin(credits, eq(credits.attemptId, paymentAttempts.id))
      .where(inArray(paymentOrders.purchaseId, [...purchaseIds]))
      // Keys are UUIDv7, so they are in the order of creation.
      .orderBy(paymentAttempts.id, refunds.id)
  );
}

function summarise(
  rows: readonly PaymentRow[],
): Pick<MyPurchase, "payments" | "refunds" | "declined"> & { paymentSeen: boolean; uncaptured: boolean } {
  const isUncaptured = ({ status, uncapturedReason }: PaymentRow) =>
    status === "authorized" && uncapturedReason !== null;
  // A payment with two refunds has two rows.
  const captured = rows.filter(
    ({ status, gatewayPaymentId }, at) =>
      status === "captured" && rows[at - 1]?.gatewayPaymentId !== gatewayPaymentId,
  );
  const last = rows.at(-1);
  return {
    declined: last && wasDeclined(rows) ? (last.errorDescription ?? "The payment was declined.") : null,
    paymentSeen: rows.some(
      (row) => row.status === "captured" || (row.status === "authorized" && !isUncaptured(row)),
    ),
    uncaptured: rows.some(isUncaptured),
    payments: captured.map(({ gateway, gatewayPaymentId, reference, method, amountPaise, ...row }) => ({
      gateway,
      gatewayPaymentId,
      reference,
      method,
      amountPaise,
      paidAt: row.capturedAt ?? row.updatedAt,
    })),
    refunds: rows.flatMap(({ outcome, refund, refundedPaise, lostPaise, isHeld, updatedAt: at }) => {
      const lost = lostPaise > 0 ? [{ status: "charged-back" as const, amountPaise: lostPaise, at }] : [];
      if (refund) {
        const { amountPaise, at: changedAt } = refund;
        const status = buyersRefundStatus(refund.status, isHeld);
        return status === "charged-back" ? lost : [{ status, amountPaise, at: changedAt }, ...lost];
      }
      if (outcome === null || refundedPaise === 0) return lost;
      // A partial refund that the owner made on the gateway's pages has no row in `refunds`.
      return [{ status: "processed" as const, amountPaise: refundedPaise, at }, ...lost];
    }),
  };
}

interface OutcomeFacts
  extends Pick<Purchase, "status" | "source" | "endedReason" | "startsAt" | "expiresAt"> {
  refunds: readonly Pick<PurchaseRefund, "status">[];
  /** An authorised or captured payment exists that is not left uncaptured. */
  paymentSeen: boolean;
  /** An authorised payment was left uncaptured. */
  uncaptured: boolean;
}

export function purchaseOutcome(purchase: OutcomeFacts, now: Date): PurchaseOutcome {
  const { endedReason, startsAt, expiresAt, refunds, paymentSeen, uncaptured } = purchase;
  // The owner repeats a failed refund, so the buyer sees it as started.
  const byShop = refunds.filter((refund) => refund.status !== "charged-back");
  const refundStatus = byShop.every((refund) => refund.status === "processed")
    ? byShop.length === 0 && refunds.length > 0
      ? "charged-back"
      : "refunded"
    : byShop.some((refund) => refund.status === "held")
      ? "refund-held"
      : "refund-started";
  if (endedReason === "refunded") return refundStatus;
  if (endedReason === "charged-back") return endedReason;
  if (endedReason === "superseded") return "replaced";
  if (endedReason !== null) return "cancelled";
  if (isOpenCheckout(purchase)) return paymentSeen ? "confirming" : "awaiting-payment";
  if (!wasCompleted(purchase)) {
    if (refunds.length > 0) return refundStatus;
    if (paymentSeen) return "confirming";
    return uncaptured ? "not-charged" : "not-paid";
  }
  if (startsAt !== null && now < startsAt) return "not-started";
  return expiresAt !== null && now < expiresAt ? "active" : "expired";
}
