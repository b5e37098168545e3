import type { Purchase } from "#db/tables/purchases.ts";
import { labelOfValidity } from "../catalog/tool-prices.ts";
import { isActivePassRow } from "../pass-validity.server.ts";
import type { PassView } from "./pass-view.ts";

type PurchaseColumns =
  | "id"
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
export type PurchaseWithPayments = Pick<Purchase, PurchaseColumns> &
  Pick<PassView, "toolSlug" | "onSale" | "worksOn" | "paymentSeen" | "refunds" | "uncapturedPayment">;

export interface GroupedPasses {
  /** Soonest end first. */
  active: PassView[];
  /** Latest end first. */
  past: PassView[];
  /** Open checkouts, and payments that are not captured yet. */
  pending: PassView[];
}

export function groupPasses(purchases: readonly PurchaseWithPayments[], now: Date): GroupedPasses {
  const active: PassView[] = [];
  const past: PassView[] = [];
  const pending: PassView[] = [];
  for (const purchase of purchases) {
    const isActive = isActivePassRow(purchase, now);
    const view: PassView = {
      id: purchase.id,
      toolName: purchase.toolName,
      toolSlug: purchase.toolSlug,
      onSale: purchase.onSale,
      worksOn: purchase.worksOn,
      optionLabel: purchase.optionLabel ?? labelOfValidity(purchase.validityDays),
      source: purchase.source,
      startsAt: purchase.startsAt ?? purchase.createdAt,
      expiresAt: purchase.expiresAt ?? purchase.createdAt,
      badge: isActive ? "Active" : choosePastBadge(purchase),
      endedReason: purchase.endedReason,
      amountPaise: purchase.amountPaise,
      paidAt: purchase.amountPaise > 0 ? purchase.capturedAt : null,
      paymentSeen: purchase.paymentSeen,
      refunds: purchase.refunds,
      uncapturedPayment: purchase.uncapturedPayment,
    };
    if (isActive) active.push(view);
    else if (isPending(purchase)) pending.push(view);
    else past.push(view);
  }
  active.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  past.sort((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime());
  return { active, past, pending };
}

/** The checkout is open, or an authorised payment may still be captured. */
function isPending({
  status,
  paymentSeen,
  refunds,
  uncapturedPayment,
  endedReason,
}: PurchaseWithPayments): boolean {
  if (endedReason !== null) return false;
  if (status === "pending") return paymentSeen || uncapturedPayment === null;
  return status === "failed" && paymentSeen && refunds.length === 0;
}

function choosePastBadge({
  status,
  endedReason,
  refunds,
  uncapturedPayment,
}: PurchaseWithPayments): PassView["badge"] {
  if (endedReason === "refunded") return "Refunded";
  if (endedReason === "cancelled") return "Cancelled";
  // A pass that expired is shown as expired, also when a second payment for it was refunded.
  if (status === "completed" || status === "active") return "Expired";
  if (refunds.length > 0) return "Refunded";
  return uncapturedPayment === null ? "Expired" : "Not charged";
}
