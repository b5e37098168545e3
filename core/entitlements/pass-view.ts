export type RefundStatus = "requested" | "processing" | "processed" | "failed";

/** Money going back for a purchase, in paise; `why` in plain words. */
export interface PassRefund {
  status: RefundStatus;
  amountPaise: number;
  why: string | null;
}

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
  refund: PassRefund | null;
}

/** One ticket on the dashboard. `refund` tells of money going back for it. */
export interface PassView {
  id: string;
  toolName: string;
  toolSlug: string | null;
  optionLabel: string | null;
  startsAt: Date;
  expiresAt: Date;
  /** Refunded: the buyer has, or gets, the money instead of the pass. `refund` says how far that is. */
  badge: "Active" | "Expired" | "Refunded";
  endedReason: PurchaseFacts["endedReason"];
  amountPaise: number;
  paidAt: Date | null;
  paymentSeen: boolean;
  refund: PassRefund | null;
}

/** Sorts purchases into running passes (soonest end first), past ones (newest first) and those awaiting money. */
export function sortPasses(
  purchases: readonly PurchaseFacts[],
  now: Date,
): { active: PassView[]; past: PassView[]; pending: PassView[] } {
  const active: PassView[] = [];
  const past: PassView[] = [];
  const pending: PassView[] = [];
  const seen = new Set<string>();
  for (const purchase of purchases) {
    if (seen.has(purchase.id)) continue;
    seen.add(purchase.id);
    const running = isRunning(purchase, now);
    const view: PassView = {
      id: purchase.id,
      toolName: purchase.toolName,
      toolSlug: purchase.toolSlug,
      optionLabel: purchase.optionLabel,
      startsAt: purchase.startsAt ?? purchase.createdAt,
      expiresAt: purchase.expiresAt ?? purchase.createdAt,
      badge: running ? "Active" : wasPaidBack(purchase) ? "Refunded" : "Expired",
      endedReason: purchase.endedReason,
      amountPaise: purchase.amountPaise,
      paidAt: purchase.amountPaise > 0 ? purchase.paidAt : null,
      paymentSeen: purchase.paymentSeen,
      refund: purchase.refund,
    };
    if (running) active.push(view);
    else if (purchase.status === "pending") pending.push(view);
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

/** A pass that ran its time is no refunded one, even where a second payment for it went back. */
function wasPaidBack({ status, endedReason, refund }: PurchaseFacts): boolean {
  return endedReason === "refunded" || (status === "failed" && refund !== null);
}
