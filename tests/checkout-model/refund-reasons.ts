import type { RefundReason } from "#core/refund-reasons.ts";
import type { PaymentFacts } from "../fake-gateway/control.ts";

export interface PurchaseFacts {
  id: string;
  userId: string;
  toolId: string | null;
  status: string;
  amountPaise: number;
  couponCode: string | null;
  ended: boolean;
}

interface RefundCircumstances {
  /** The payment, and all payments of its order, as the gateway has them. */
  payment: PaymentFacts;
  payments: readonly PaymentFacts[];
  purchase: PurchaseFacts;
  /** The same buyer's purchases of the same tool. */
  others: readonly PurchaseFacts[];
  hasAccountEnded: boolean;
}

const hasOtherCapture = ({ payment, payments }: RefundCircumstances) =>
  payments.some(({ captured, paymentId }) => captured && paymentId !== payment.paymentId);

/** Whether a payment is the price, with the fee on top or less an offer. */
export const paysPrice = ({ payment, purchase }: Pick<RefundCircumstances, "payment" | "purchase">) =>
  payment.amountPaise - payment.buyerFeePaise + payment.offerPaise === purchase.amountPaise;

/** It stayed authorised, and the gateway reported neither a fee nor a paid order. */
const isNeverExplained = ({ captured, buyerFeePaise, reportsFeeEarly, offerPaise }: PaymentFacts) =>
  !captured && ((buyerFeePaise > 0 && !reportsFeeEarly) || offerPaise > 0);

/** The gateway counts the order as paid by another payment. */
const isSecondWithOffer = (circumstances: RefundCircumstances) =>
  circumstances.payment.offerPaise > 0 && hasOtherCapture(circumstances);

/**
 * Whether the reason of a refund, or of leaving a payment uncaptured, is true. Stock that was empty at some moment
 * cannot be checked afterwards.
 */
const REASON_CHECKS: Record<RefundReason, (circumstances: RefundCircumstances) => boolean> = {
  "refunded-at-gateway": ({ payment }) => payment.refunds.some(({ by }) => by === "dashboard"),
  "amount-mismatch": (circumstances) =>
    !paysPrice(circumstances) || isNeverExplained(circumstances.payment) || isSecondWithOffer(circumstances),
  "duplicate-payment": hasOtherCapture,
  "already-refunded": hasOtherCapture,
  "purchase-ended": ({ purchase }) => purchase.ended,
  "purchase-replaced": ({ others }) => others.length > 0,
  "account-closed": ({ hasAccountEnded }) => hasAccountEnded,
  "already-owned": ({ others }) => others.some(({ status }) => status === "completed"),
  "out-of-stock": ({ purchase }) => purchase.status !== "completed",
  "coupon-used-up": ({ purchase }) => purchase.status !== "completed" && purchase.couponCode !== null,
  "cancelled-by-shop": ({ purchase }) => purchase.ended,
  "cancelled-and-given-back": ({ purchase }) => purchase.ended,
};

const isReason = (reason: string): reason is RefundReason => Object.hasOwn(REASON_CHECKS, reason);

export function isReasonTrue(reason: string, circumstances: RefundCircumstances): boolean {
  return isReason(reason) && REASON_CHECKS[reason](circumstances);
}
