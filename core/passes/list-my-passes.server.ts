import { and, desc, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { type ToolTexts, type Translations, tools, type WorksOn } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { type AuthorisedContext, requireSignedIn } from "../authorise.ts";
import { IS_ON_SALE, OFFERED_PRICE } from "../catalog/on-sale.server.ts";
import { labelOfValidity } from "../catalog/rules.ts";
import { inReadersLanguage } from "../catalog/translations.ts";
import type { Context } from "../context.ts";
import { type BuyersRefundStatus, buyersRefundStatus, isHeldByDispute, paidOf } from "../paid.server.ts";
import {
  IS_COMPLETED,
  IS_OPEN_CHECKOUT,
  isActivePassRow,
  isInAcceptedMode,
} from "../pass-validity.server.ts";
import { findRefundMessage } from "../refund-reasons.ts";
import { isOpenCheckout, wasCompleted, wasDeclined } from "./purchase-states.ts";

/** Only the newest purchases of a buyer are listed. */
const PURCHASES_LISTED = 200;

/** The passes and checkouts of the signed-in user. @throws DomainError 'unauthenticated' */
export async function listMyPasses(ctx: Context): Promise<GroupedPasses> {
  requireSignedIn(ctx, "reads");
  const { actor } = ctx;
  const paymentToShow = ctx.db
    .select({ one: sql`1` })
    .from(paymentOrders)
    .innerJoin(paymentAttempts, eq(paymentAttempts.orderId, paymentOrders.id))
    .where(
      and(
        eq(paymentOrders.purchaseId, userPurchases.id),
        or(isNotNull(paymentAttempts.outcome), eq(paymentAttempts.status, "authorized")),
      ),
    );
  const purchases = await ctx.db
    .select({
      id: userPurchases.id,
      orderNumber: userPurchases.orderNumber,
      toolId: userPurchases.toolId,
      toolName: userPurchases.toolName,
      toolSlug: tools.slug,
      currentName: tools.name,
      translations: tools.translations,
      // Null without a tool.
      onSale: sql<boolean | null>`(${IS_ON_SALE})`,
      pricePaise: OFFERED_PRICE,
      contactOnly: tools.contactOnly,
      worksOn: tools.worksOn,
      optionLabel: userPurchases.optionLabel,
      validityDays: userPurchases.validityDays,
      source: userPurchases.source,
      status: userPurchases.status,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      endedAt: userPurchases.endedAt,
      endedReason: userPurchases.endedReason,
      createdAt: userPurchases.createdAt,
      amountPaise: userPurchases.amountPaise,
      capturedAt: userPurchases.capturedAt,
    })
    .from(userPurchases)
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(
      and(
        eq(userPurchases.userId, actor.userId),
        isInAcceptedMode(ctx),
        or(isNull(userPurchases.endedReason), ne(userPurchases.endedReason, "deleted")),
        // Any other one, which has failed or was left pending in an imported shop, is listed only with an authorised
        // or captured payment.
        or(IS_COMPLETED, IS_OPEN_CHECKOUT, exists(paymentToShow)),
      ),
    )
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(PURCHASES_LISTED);
  const payments = await readPayments(
    ctx,
    purchases.map(({ id }) => id),
  );
  return groupPasses(
    purchases.map(({ currentName, translations, ...purchase }) => ({
      ...purchase,
      toolName: shownName(ctx, purchase.toolName, { name: currentName, translations }),
      onSale: purchase.onSale === true,
      isSold: purchase.onSale === true && (purchase.pricePaise ?? 0) > 0 && ctx.ports.gateway !== null,
      contactOnly: purchase.contactOnly === true,
      paidPaise: paidOf(purchase, payments.get(purchase.id) ?? [])?.amountPaise ?? null,
      ...summarisePayments(payments.get(purchase.id)),
    })),
    ctx.clock.now(),
  );
}

/** A tool that still has the name under which it was bought is called as the shop calls it in the reader's language. */
function shownName(
  ctx: Context,
  boughtName: string,
  { name, translations }: { name: string | null; translations: Translations<ToolTexts> | null },
): string {
  return name === boughtName && translations !== null
    ? inReadersLanguage(ctx, { name, translations }).name
    : boughtName;
}

type PaymentRow = Awaited<ReturnType<typeof selectPayments>>[number];

async function readPayments(
  ctx: AuthorisedContext,
  purchaseIds: readonly string[],
): Promise<Map<string, PaymentRow[]>> {
  const payments = new Map<string, PaymentRow[]>();
  for (const payment of await selectPayments(ctx, purchaseIds)) {
    payments.set(payment.purchaseId, [...(payments.get(payment.purchaseId) ?? []), payment]);
  }
  return payments;
}

/** Every payment of the purchases, oldest first, with its refund. */
function selectPayments(ctx: AuthorisedContext, purchaseIds: readonly string[]) {
  return (
    ctx.db
      .select({
        purchaseId: paymentOrders.purchaseId,
        status: paymentAttempts.status,
        outcome: paymentAttempts.outcome,
        uncapturedReason: paymentAttempts.uncapturedReason,
        amountPaise: paymentAttempts.amountPaise,
        buyerFeePaise: paymentAttempts.buyerFeePaise,
        refundedPaise: paymentAttempts.refundedPaise,
        lostPaise: paymentAttempts.lostPaise,
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
      .where(inArray(paymentOrders.purchaseId, [...purchaseIds]))
      // Keys are UUIDv7, so they are in the order of creation.
      .orderBy(paymentAttempts.id, refunds.id)
  );
}

function summarisePayments(
  payments: readonly PaymentRow[] = [],
): Pick<PurchaseWithPayments, "paymentSeen" | "declined" | "refunds" | "uncapturedPayment"> {
  const mayBeCaptured = ({ status, uncapturedReason }: PaymentRow) =>
    status === "authorized" && uncapturedReason === null;
  return {
    paymentSeen: payments.some((payment) => payment.status === "captured" || mayBeCaptured(payment)),
    declined: wasDeclined(payments),
    refunds: payments.flatMap(({ outcome, refundedPaise, lostPaise, updatedAt, isHeld, refund }) => {
      const loss = { status: "charged-back" as const, amountPaise: lostPaise, at: updatedAt, why: null };
      const lost = lostPaise > 0 ? [loss] : [];
      if (refund) {
        const { amountPaise, reason, at } = refund;
        const status = buyersRefundStatus(refund.status, isHeld);
        if (status === "charged-back") return lost;
        return [{ status, amountPaise, at, why: findRefundMessage(reason) }, ...lost];
      }
      if (outcome === null || refundedPaise === 0) return lost;
      // A partial refund that the owner made on the gateway's pages has no row in `refunds`.
      const part = { status: "processed" as const, amountPaise: refundedPaise, at: updatedAt };
      return [{ ...part, why: "The shop has refunded a part of the price." }, ...lost];
    }),
    uncapturedPayment:
      payments
        .flatMap(({ status, uncapturedReason, amountPaise, updatedAt }) =>
          status === "authorized" && uncapturedReason !== null
            ? [{ amountPaise, at: updatedAt, why: findRefundMessage(uncapturedReason) }]
            : [],
        )
        .at(-1) ?? null,
  };
}

type PurchaseColumns =
  | "id"
  | "orderNumber"
  | "toolId"
  | "toolName"
  | "optionLabel"
  | "validityDays"
  | "source"
  | "status"
  | "startsAt"
  | "expiresAt"
  | "endedAt"
  | "endedReason"
  | "createdAt"
  | "amountPaise"
  | "capturedAt";

/** A purchase with what its payments became. */
type PurchaseWithPayments = Pick<Purchase, PurchaseColumns> &
  Pick<
    PassView,
    | "toolSlug"
    | "onSale"
    | "isSold"
    | "contactOnly"
    | "worksOn"
    | "paidPaise"
    | "paymentSeen"
    | "declined"
    | "refunds"
    | "uncapturedPayment"
  >;

interface GroupedPasses {
  /** Soonest end first. A pass that waits without an active one of its tool, which is rare, is among them. */
  active: PassView[];
  /** Latest end first. */
  past: PassView[];
  /** Open checkouts, and payments that are not captured yet. */
  pending: PassView[];
}

/** The tool of a purchase. An imported purchase may have a name only. */
const toolKeyOf = ({ toolId, toolName }: PurchaseWithPayments) => toolId ?? toolName.toLowerCase();

function groupPasses(purchases: readonly PurchaseWithPayments[], now: Date): GroupedPasses {
  const active: PassView[] = [];
  const past: PassView[] = [];
  const pending: PassView[] = [];
  const waiting = purchases.filter((purchase) => isWaiting(purchase, now));
  const activeTools = new Set(
    purchases.flatMap((purchase) => (isActivePassRow(purchase, now) ? [toolKeyOf(purchase)] : [])),
  );
  for (const purchase of purchases) {
    const isActive = isActivePassRow(purchase, now);
    const waits = waiting.includes(purchase);
    // It is a part of the ticket of the active pass.
    if (waits && activeTools.has(toolKeyOf(purchase))) continue;
    const view: PassView = {
      id: purchase.id,
      orderNumber: purchase.orderNumber,
      toolName: purchase.toolName,
      toolSlug: purchase.toolSlug,
      onSale: purchase.onSale,
      isSold: purchase.isSold,
      contactOnly: purchase.contactOnly,
      worksOn: purchase.worksOn,
      optionLabel: purchase.optionLabel ?? labelOfValidity(purchase.validityDays),
      validityDays: purchase.validityDays,
      source: purchase.source,
      startsAt: purchase.startsAt ?? purchase.createdAt,
      expiresAt: purchase.expiresAt ?? purchase.createdAt,
      renewedUntil: isActive
        ? lastEndOf(waiting.filter((other) => toolKeyOf(other) === toolKeyOf(purchase)))
        : null,
      badge: isActive ? "Active" : waits ? "Waiting" : choosePastBadge(purchase),
      endedReason: purchase.endedReason,
      amountPaise: purchase.amountPaise,
      paidPaise: purchase.paidPaise,
      paidAt: purchase.amountPaise > 0 ? purchase.capturedAt : null,
      paymentSeen: purchase.paymentSeen,
      declined: purchase.declined,
      refunds: purchase.refunds,
      uncapturedPayment: purchase.uncapturedPayment,
    };
    if (isActive || waits) active.push(view);
    else if (isPending(purchase)) pending.push(view);
    else past.push(view);
  }
  active.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  past.sort((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime());
  return { active, past, pending };
}

/** A pass that was paid and has not begun: a renewal, or a pass that an import has put after another. */
function isWaiting({ status, endedAt, startsAt }: PurchaseWithPayments, now: Date): boolean {
  return wasCompleted({ status }) && endedAt === null && startsAt !== null && startsAt > now;
}

function lastEndOf(passes: readonly PurchaseWithPayments[]): Date | null {
  const ends = passes.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);
  return ends.length > 0 ? new Date(Math.max(...ends)) : null;
}

/** The checkout is open, or an authorised payment may still be captured. */
function isPending(purchase: PurchaseWithPayments): boolean {
  const { status, paymentSeen, refunds, uncapturedPayment, endedReason } = purchase;
  if (endedReason !== null) return false;
  if (isOpenCheckout(purchase)) return paymentSeen || uncapturedPayment === null;
  return status === "failed" && paymentSeen && refunds.length === 0;
}

const RETURNED_BY_BANK = "Returned by your bank";

function choosePastBadge({
  status,
  endedReason,
  refunds,
  uncapturedPayment,
}: PurchaseWithPayments): PassView["badge"] {
  if (endedReason === "refunded") return "Refunded";
  if (endedReason === "charged-back") return RETURNED_BY_BANK;
  if (endedReason === "cancelled") return "Cancelled";
  if (endedReason === "superseded") return "Replaced";
  // A pass that expired is shown as expired, also when a second payment for it was refunded.
  if (status === "completed" || status === "active") return "Expired";
  if (refunds.length > 0)
    return refunds.every((refund) => refund.status === "charged-back") ? RETURNED_BY_BANK : "Refunded";
  return uncapturedPayment === null ? "Expired" : "Not charged";
}

/** A refund for a purchase, or with the status charged-back what the bank has paid back in a dispute. */
export interface PassRefund {
  status: BuyersRefundStatus;
  amountPaise: number;
  /** When it got this status. */
  at: Date;
  /** The message for the buyer; null when there is none for the stored reason. */
  why: string | null;
}

/** A payment that was authorised and left uncaptured: the gateway returns it without a refund. */
interface UncapturedPayment {
  amountPaise: number;
  /** When the shop decided not to capture it. */
  at: Date;
  why: string | null;
}

/** One purchase on the buyer's dashboard. */
export interface PassView {
  id: string;
  orderNumber: string;
  /** In the reader's language. */
  toolName: string;
  toolSlug: string | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
  /** Whether the shop takes payments for it now. */
  isSold: boolean;
  /** Whether it is sold in the chat only. */
  contactOnly: boolean;
  /** Where the tool works; null without the tool. */
  worksOn: readonly WorksOn[] | null;
  /** What was bought or given, such as "30 Days". */
  optionLabel: string;
  validityDays: number;
  source: Purchase["source"];
  startsAt: Date;
  expiresAt: Date;
  /** End of the renewal that waits for the end of this pass; null: there is none. */
  renewedUntil: Date | null;
  /**
   * Waiting: it has not begun. Refunded: the buyer gets the money back instead of the pass; `refunds` have the progress. Not
   * charged: the payment was left uncaptured. Replaced: a longer pass for the tool took its place when the old shop was
   * imported.
   */
  badge:
    | "Active"
    | "Waiting"
    | "Expired"
    | "Refunded"
    | "Cancelled"
    | "Not charged"
    | "Replaced"
    | typeof RETURNED_BY_BANK;
  endedReason: Purchase["endedReason"];
  amountPaise: number;
  /** What was paid for it: more than its price with a fee on top, less with an offer; null: no payment was captured. */
  paidPaise: number | null;
  /** When the payment was captured; null when none was, and for free passes. */
  paidAt: Date | null;
  /** Whether the gateway has reported an authorised or captured payment that is not left uncaptured. */
  paymentSeen: boolean;
  /** Whether the last payment was declined and none succeeded. */
  declined: boolean;
  /** Oldest payment first. */
  refunds: readonly PassRefund[];
  /** The last payment that was left uncaptured. */
  uncapturedPayment: UncapturedPayment | null;
}
