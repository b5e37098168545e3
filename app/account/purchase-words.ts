import type { PassRefund, PassView } from "#core/passes/list-my-passes.server.ts";
import type { MyPurchase, PurchaseOutcome } from "#core/passes/list-my-purchases.server.ts";
import { DAY, formatDate, formatTime } from "#core/time.ts";
import type { BadgeTone } from "../ui/badge.tsx";
import { currentLanguage, t, translate } from "../ui/texts/texts.ts";

interface StatusWords {
  label: string;
  tone: BadgeTone;
}

const STATUS_WORDS = {
  "awaiting-payment": { label: "Waiting for payment", tone: "yellow" },
  confirming: { label: "Payment being confirmed", tone: "yellow" },
  "not-paid": { label: "Not paid", tone: "neutral" },
  "not-charged": { label: "Not charged", tone: "neutral" },
  "not-started": { label: "Starts later", tone: "neutral" },
  active: { label: "Active", tone: "green" },
  expired: { label: "Expired", tone: "neutral" },
  cancelled: { label: "Cancelled", tone: "neutral" },
  replaced: { label: "Replaced by a longer pass", tone: "neutral" },
  "refund-started": { label: "Refund started", tone: "yellow" },
  "refund-held": { label: "Refund on hold", tone: "yellow" },
  refunded: { label: "Refunded", tone: "neutral" },
  "charged-back": { label: "Returned by your bank", tone: "neutral" },
} as const satisfies Record<PurchaseOutcome, StatusWords>;

/** The status of a purchase in the buyer's words, and the colour that repeats it. */
export function statusWords(purchase: Pick<MyPurchase, "status" | "declined">): StatusWords {
  // The buyer may pay again until the checkout ends.
  if (purchase.status === "awaiting-payment" && purchase.declined !== null)
    return { label: t("Payment declined"), tone: "yellow" };
  const { label, tone } = STATUS_WORDS[purchase.status];
  return { label: t(label), tone };
}

const METHODS: ReadonlyMap<string, string> = new Map([
  ["upi", "UPI"],
  ["card", "Card"],
  ["netbanking", "Net banking"],
  ["wallet", "Wallet"],
  ["emi", "EMI"],
  ["paylater", "Pay later"],
  // Without a gateway.
  ["cash", "Cash"],
  ["bank-transfer", "Bank transfer"],
  ["other", "Other way"],
]);

const GATEWAYS: ReadonlyMap<string, string> = new Map([
  ["razorpay", "Razorpay"],
  ["sandbox", "test payment"],
  ["manual", "paid to the shop"],
]);

/** How something was paid, such as "UPI (Razorpay)". A name that is not known is shown as the gateway writes it. */
export function paymentMethod({ method, gateway }: { method: string | null; gateway: string }): string {
  const through = nameOf(GATEWAYS, gateway);
  return method === null ? through : `${nameOf(METHODS, method)} (${through})`;
}

function nameOf(names: ReadonlyMap<string, string>, name: string): string {
  const known = names.get(name);
  return known === undefined ? name : translate(known);
}

/** Why nothing was paid for a purchase; null if it has a price. */
export function freeBecause({
  source,
  amountPaise,
  contactOnly,
}: Pick<MyPurchase, "source" | "amountPaise" | "contactOnly">): string | null {
  if (amountPaise > 0) return null;
  if (source === "giveaway") return t("Won in the daily giveaway");
  if (source === "import") return t("Free in the earlier shop");
  if (source !== "admin") return null;
  return contactOnly ? arrangedText() : t("A gift from the shop");
}

/** A tool that is sold in the chat may have been paid for there, so that its pass is no gift. */
export const arrangedText = () => t("Arranged with the shop");

/** Why a purchase is not paid, when its payment was declined; null for any other. */
export function declinedBecause({
  status,
  declined,
}: Pick<MyPurchase, "status" | "declined">): string | null {
  const isToldWhy = declined !== null && (status === "not-paid" || status === "awaiting-payment");
  if (!isToldWhy) return null;
  // The gateway gives its reasons in English.
  return currentLanguage() === "en" ? declined : t("The bank or the app declined the payment.");
}

/** Whether something was handed over, so that the purchase has a receipt. Any other one has its details only. */
export function hasReceipt({ payments, status }: Pick<MyPurchase, "payments" | "status">): boolean {
  return (
    payments.length > 0 || ["active", "expired", "not-started", "cancelled", "replaced"].includes(status)
  );
}

/**
 * Groups each order with the unpaid orders of the same tool that directly follow it: each closed payment window leaves one.
 *
 * @param purchases newest first
 */
export function foldUnpaidOrders<Purchase extends Pick<MyPurchase, "toolName" | "status">>(
  purchases: readonly Purchase[],
): { purchase: Purchase; unpaid: Purchase[] }[] {
  const rows: { purchase: Purchase; unpaid: Purchase[] }[] = [];
  for (const purchase of purchases) {
    const newer = rows.at(-1);
    if (newer && purchase.status === "not-paid" && purchase.toolName === newer.purchase.toolName)
      newer.unpaid.push(purchase);
    else rows.push({ purchase, unpaid: [] });
  }
  return rows;
}

export const orderPath = (purchaseId: string) => `/account/orders/${purchaseId}`;

/** The badge of a pass. It is Refunded only when every refund is processed. */
export function badgeMessage({ badge, refunds }: Pick<PassView, "badge" | "refunds">): string {
  if (badge === "Replaced") return t(STATUS_WORDS.replaced.label);
  const unprocessed = refunds.find(isUnderWay);
  return badge === "Refunded" && unprocessed ? refundStatusMessage(unprocessed.status) : t(badge);
}

/** Whether the money is not back yet. */
export const isUnderWay = ({ status }: Pick<PassRefund, "status">): boolean =>
  status !== "processed" && status !== "charged-back";

/** The status of a refund for its buyer. The owner repeats a failed refund, so the buyer sees it as started. */
export function refundStatusMessage(status: PassRefund["status"]): string {
  if (status === "charged-back") return t("Returned by your bank");
  if (status === "held") return t("Refund on hold");
  return t(status === "processed" ? "Refunded" : "Refund started");
}

/** The message for the amount of a refund, such as "₹119 refunded". The caller passes the price as an element. */
export function refundAmountMessage(status: PassRefund["status"]) {
  if (status === "charged-back") return "{price} returned by your bank";
  if (status === "held") return "Refund of {price} on hold until your bank has decided";
  return status === "processed" ? "{price} refunded" : "{price} being refunded";
}

/** "Ends today 11:52" or "Ends tomorrow 09:30", in the store's time zone; null with 24 hours or more left, and after the end. */
export function endsSoonMessage(expiresAt: Date, now: Date, timeZone: string): string | null {
  const left = expiresAt.getTime() - now.getTime();
  if (left <= 0 || left >= DAY) return null;
  const isToday = formatDate(expiresAt, timeZone) === formatDate(now, timeZone);
  return t(isToday ? "Ends today {time}" : "Ends tomorrow {time}", { time: formatTime(expiresAt, timeZone) });
}
