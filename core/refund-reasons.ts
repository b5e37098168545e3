import { DAY } from "./time.ts";

/** Why a payment is refunded, or is not captured; and the message for the buyer. */
const MESSAGES = {
  "refunded-at-gateway": "The shop has refunded it.",
  "amount-mismatch": "The amount paid was not the price.",
  "duplicate-payment": "You had already paid for this purchase.",
  "already-refunded": "This purchase had already been refunded.",
  "purchase-ended": "This purchase had already ended.",
  "purchase-replaced": "You had started another purchase of this tool in the meantime.",
  "account-closed": "The account had been disabled or deleted.",
  "already-owned": "You already had access to this tool.",
  "out-of-stock": "The tool was sold out when the payment arrived.",
  "coupon-used-up": "The coupon was used up when the payment arrived.",
  "cancelled-by-shop": "The shop has cancelled this purchase.",
  "cancelled-and-given-back": "The shop has cancelled this purchase and gives the money back to you itself.",
} as const;

/** The most days that a bank takes to show a refund in the buyer's account. */
export const BANK_DAYS_MAXIMUM = 7;
export const BANKS_TAKE = `Banks take 5 to ${BANK_DAYS_MAXIMUM} days to show it.`;
/** When the money of an uncaptured payment is back, which is no refund. */
export const UNCAPTURED_RETURNS = "usually within 10 days";

/** How long the buyer is told about an uncaptured payment: longer than its money usually takes. */
export const UNCAPTURED_RETURN_MS = 14 * DAY;

export type RefundReason = keyof typeof MESSAGES;
export type RefundMessage = (typeof MESSAGES)[RefundReason];

export function refundMessage(reason: RefundReason): RefundMessage {
  return MESSAGES[reason];
}

export function isRefundReason(reason: string): reason is RefundReason {
  return Object.hasOwn(MESSAGES, reason);
}

/** The message for a stored reason; null for an unknown one. */
export function findRefundMessage(reason: string): string | null {
  return isRefundReason(reason) ? MESSAGES[reason] : null;
}
