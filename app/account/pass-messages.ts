import type { PassRefund, PassView } from "#core/entitlements/pass-view.ts";

/** The badge of a pass. Money on its way back is not back yet, and the badge does not say so. */
export function badgeWords({ badge, refunds }: Pick<PassView, "badge" | "refunds">): string {
  const unfinished = refunds.find(({ status }) => status !== "processed");
  return badge === "Refunded" && unfinished ? refundWords(unfinished.status) : badge;
}

/** Where money that goes back is right now. A refund that failed is tried again by hand, so it is still on its way. */
export function refundWords(status: PassRefund["status"]): string {
  return status === "processed" ? "Refunded" : "Refund on its way";
}

/** What follows the amount: "₹119 sent back". */
export function sentBackWords(status: PassRefund["status"]): string {
  return status === "processed" ? "sent back" : "on its way back";
}
