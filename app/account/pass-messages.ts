import type { PassRefund, PassView } from "#core/passes/list-my-passes.server.ts";
import { DAY, formatDate, formatTime } from "#core/time.ts";

/** The badge of a pass. It is Refunded only when every refund is processed. */
export function badgeMessage({ badge, refunds }: Pick<PassView, "badge" | "refunds">): string {
  const unprocessed = refunds.find(({ status }) => status !== "processed");
  return badge === "Refunded" && unprocessed ? refundStatusMessage(unprocessed.status) : badge;
}

/** The status of a refund for its buyer. The owner makes a failed refund again, so its buyer sees it as started. */
export function refundStatusMessage(status: PassRefund["status"]): string {
  return status === "processed" ? "Refunded" : "Refund started";
}

/** The text after the refunded amount: "₹119 refunded". */
export function refundedAmountSuffix(status: PassRefund["status"]): string {
  return status === "processed" ? "refunded" : "being refunded";
}

/** "Ends today 11:52" or "Ends tomorrow 09:30", in the store's time zone; null with 24 hours or more left, and after the end. */
export function endsSoonMessage(expiresAt: Date, now: Date, timeZone: string): string | null {
  const left = expiresAt.getTime() - now.getTime();
  if (left <= 0 || left >= DAY) return null;
  const day = formatDate(expiresAt, timeZone) === formatDate(now, timeZone) ? "today" : "tomorrow";
  return `Ends ${day} ${formatTime(expiresAt, timeZone)}`;
}
