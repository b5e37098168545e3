import type { MyPurchase, PurchaseOutcome } from "#core/passes/list-my-purchases.server.ts";
import type { BadgeTone } from "../../ui/badge.tsx";

interface StatusWords {
  label: string;
  tone: BadgeTone;
}

const STATUS_WORDS: Record<PurchaseOutcome, StatusWords> = {
  "awaiting-payment": { label: "Waiting for payment", tone: "yellow" },
  confirming: { label: "Payment being confirmed", tone: "yellow" },
  "not-paid": { label: "Not paid", tone: "neutral" },
  "not-charged": { label: "Not charged", tone: "neutral" },
  "not-started": { label: "Starts later", tone: "neutral" },
  active: { label: "Active", tone: "green" },
  expired: { label: "Expired", tone: "neutral" },
  cancelled: { label: "Cancelled", tone: "neutral" },
  "refund-started": { label: "Refund started", tone: "yellow" },
  refunded: { label: "Refunded", tone: "neutral" },
};

/** The status of an order in the buyer's words, and the colour that repeats it. */
export function statusWords(order: Pick<MyPurchase, "status" | "declined">): StatusWords {
  // The buyer may pay again until the checkout ends.
  if (order.status === "awaiting-payment" && order.declined !== null)
    return { label: "Payment declined", tone: "yellow" };
  return STATUS_WORDS[order.status];
}

const METHODS: ReadonlyMap<string, string> = new Map([
  ["upi", "UPI"],
  ["card", "Card"],
  ["netbanking", "Net banking"],
  ["wallet", "Wallet"],
  ["emi", "EMI"],
  ["paylater", "Pay later"],
]);

const GATEWAYS: ReadonlyMap<string, string> = new Map([
  ["razorpay", "Razorpay"],
  ["sandbox", "test payment"],
]);

/** How something was paid, such as "UPI (Razorpay)". A name that is not known is shown as the gateway writes it. */
export function paymentMethod({ method, gateway }: { method: string | null; gateway: string }): string {
  const through = GATEWAYS.get(gateway) ?? gateway;
  return method === null ? through : `${METHODS.get(method) ?? method} (${through})`;
}

/** Why nothing was paid for an order; null for one that has a price. */
export function freeBecause({
  source,
  amountPaise,
}: Pick<MyPurchase, "source" | "amountPaise">): string | null {
  if (amountPaise > 0) return null;
  if (source === "giveaway") return "Won in the daily giveaway";
  return source === "admin" ? "A gift from the shop" : null;
}

/** Why an order is not paid, when its payment was declined; null for any other. */
export function declinedBecause({
  status,
  declined,
}: Pick<MyPurchase, "status" | "declined">): string | null {
  return status === "not-paid" || status === "awaiting-payment" ? declined : null;
}

/** Whether something was handed over, so that the order has a receipt. Any other order has its details only. */
export function hasReceipt({ payments, status }: Pick<MyPurchase, "payments" | "status">): boolean {
  return payments.length > 0 || ["active", "expired", "not-started", "cancelled"].includes(status);
}

export const orderPath = (purchaseId: string) => `/account/orders/${purchaseId}`;
