import type { PassView } from "#core/entitlements/pass-view.ts";

/** What a past pass says about why it is over, beside its badge; null when its time simply ran out. */
export function endedWords({ endedReason, refund }: Pick<PassView, "endedReason" | "refund">): string | null {
  const money = refundWords(refund);
  if (money !== null) return money;
  if (endedReason === "refunded") return "Refunded";
  if (endedReason === "cancelled") return "Cancelled";
  return null;
}

/** Where money that goes back is right now. A refund that failed is tried again by hand, so it is still on its way. */
export function refundWords(refund: PassView["refund"]): string | null {
  if (refund === null) return null;
  return refund === "processed" ? "Refunded" : "Refund on its way";
}
