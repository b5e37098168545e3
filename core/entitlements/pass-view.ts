export type RefundStatus = "requested" | "processing" | "processed" | "failed";

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
  refundStatus: RefundStatus | null;
}

/** One ticket on the dashboard. `refund` tells of money going back for it. */
export interface PassView {
  id: string;
  toolName: string;
  toolSlug: string | null;
  optionLabel: string | null;
  startsAt: Date;
  expiresAt: Date;
  badge: "Active" | "Expired";
  endedReason: PurchaseFacts["endedReason"];
  amountPaise: number;
  refund: RefundStatus | null;
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
    const running =
      (purchase.status === "completed" || purchase.status === "active") &&
      purchase.endedReason === null &&
      purchase.startsAt !== null &&
      purchase.expiresAt !== null &&
      purchase.startsAt <= now &&
      now < purchase.expiresAt;
    const view: PassView = {
      id: purchase.id,
      toolName: purchase.toolName,
      toolSlug: purchase.toolSlug,
      optionLabel: purchase.optionLabel,
      startsAt: purchase.startsAt ?? purchase.createdAt,
      expiresAt: purchase.expiresAt ?? purchase.createdAt,
      badge: running ? "Active" : "Expired",
      endedReason: purchase.endedReason,
      amountPaise: purchase.amountPaise,
      refund: purchase.refundStatus,
    };
    if (running) active.push(view);
    else if (purchase.status === "pending") pending.push(view);
    else past.push(view);
  }
  active.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  past.sort((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime());
  return { active, past, pending };
}
