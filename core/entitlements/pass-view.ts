import { DAY } from "../time.ts";

export type RefundStatus = "requested" | "processing" | "processed" | "failed";

/** Money going back for a purchase, in paise; `why` in plain words. */
export interface PassRefund {
  status: RefundStatus;
  amountPaise: number;
  /** When it took this status. */
  at: Date;
  why: string | null;
}

/** A payment that the bank approved and the shop did not capture: it returns to the buyer by itself. */
export interface NotTaken {
  amountPaise: number;
  /** When that was decided. */
  at: Date;
  why: string | null;
}

/** For so long a buyer may be waiting for a payment that was not captured to come back. */
export const RETURN_TAKES_MS = 14 * DAY;

/** A purchase as the dashboard reads it. */
export interface PurchaseFacts {
  id: string;
  toolName: string;
  toolSlug: string | null;
  optionLabel: string | null;
  status: "pending" | "completed" | "failed" | "active";
  startsAt: Date | null;
  expiresAt: Date | null;
  endedReason: "refunded" | "cancelled" | "deleted" | "user-deleted" | null;
  createdAt: Date;
  amountPaise: number;
  /** When the money for it arrived; null where none did, or not yet. */
  paidAt: Date | null;
  /** Whether the gateway told of a payment for it, accounted for or not. */
  paymentSeen: boolean;
  /** Oldest payment first. */
  refunds: readonly PassRefund[];
  /** The last payment that was not captured. */
  notTaken: NotTaken | null;
}

/** One ticket on the dashboard. `refunds` tell of money going back for it. */
export interface PassView {
  id: string;
  toolName: string;
  toolSlug: string | null;
  optionLabel: string | null;
  startsAt: Date;
  expiresAt: Date;
  /** Refunded: the buyer has, or gets, the money instead of the pass; `refunds` say how far that is. Not charged: no money was taken. */
  badge: "Active" | "Expired" | "Refunded" | "Cancelled" | "Not charged";
  endedReason: PurchaseFacts["endedReason"];
  amountPaise: number;
  paidAt: Date | null;
  paymentSeen: boolean;
  refunds: readonly PassRefund[];
  notTaken: NotTaken | null;
}

/** Sorts purchases into running passes (soonest end first), past ones (newest first) and those awaiting money. */
export function sortPasses(
  purchases: readonly PurchaseFacts[],
  now: Date,
): { active: PassView[]; past: PassView[]; pending: PassView[] } {
  const active: PassView[] = [];
  const past: PassView[] = [];
  const pending: PassView[] = [];
  for (const purchase of purchases) {
    const running = isRunning(purchase, now);
    const view: PassView = {
      id: purchase.id,
      toolName: purchase.toolName,
      toolSlug: purchase.toolSlug,
      optionLabel: purchase.optionLabel,
      startsAt: purchase.startsAt ?? purchase.createdAt,
      expiresAt: purchase.expiresAt ?? purchase.createdAt,
      badge: running ? "Active" : pastBadge(purchase),
      endedReason: purchase.endedReason,
      amountPaise: purchase.amountPaise,
      paidAt: purchase.amountPaise > 0 ? purchase.paidAt : null,
      paymentSeen: purchase.paymentSeen,
      refunds: purchase.refunds,
      notTaken: purchase.notTaken,
    };
    if (running) active.push(view);
    else if (isUndecided(purchase)) pending.push(view);
    else past.push(view);
  }
  active.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  past.sort((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime());
  return { active, past, pending };
}

function isRunning({ status, endedReason, startsAt, expiresAt }: PurchaseFacts, now: Date): boolean {
  if ((status !== "completed" && status !== "active") || endedReason !== null) return false;
  return startsAt !== null && expiresAt !== null && startsAt <= now && now < expiresAt;
}

/** Neither a pass nor over: the checkout is open, or the bank approved a payment that may still be captured. */
function isUndecided({ status, paymentSeen, refunds, notTaken, endedReason }: PurchaseFacts): boolean {
  if (endedReason !== null) return false;
  if (status === "pending") return paymentSeen || notTaken === null;
  return status === "failed" && paymentSeen && refunds.length === 0;
}

function pastBadge({ status, endedReason, refunds, notTaken }: PurchaseFacts): PassView["badge"] {
  if (endedReason === "refunded") return "Refunded";
  if (endedReason === "cancelled") return "Cancelled";
  // A pass that ran its time is no refunded one, even where a second payment for it went back.
  if (status === "completed" || status === "active") return "Expired";
  if (refunds.length > 0) return "Refunded";
  return notTaken === null ? "Expired" : "Not charged";
}
