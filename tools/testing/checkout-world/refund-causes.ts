import type { RefundReason } from "#core/purchases/refund-reasons.ts";
import type { PaymentFacts } from "../fake-gateway/control.ts";

export interface BoughtFacts {
  id: string;
  userId: string;
  toolId: string | null;
  status: string;
  amountPaise: number;
  couponCode: string | null;
  ended: boolean;
}

interface Cause {
  /** The payment, and all payments of its order, as the gateway has them. */
  payment: PaymentFacts;
  payments: readonly PaymentFacts[];
  purchase: BoughtFacts;
  /** The same buyer's purchases of the same tool. */
  others: readonly BoughtFacts[];
  accountGone: boolean;
}

const hasOtherCapture = ({ payment, payments }: Cause) =>
  payments.some(({ captured, paymentId }) => captured && paymentId !== payment.paymentId);

/** Whether money went back, or was not captured, for a reason that is true. That the shelf was empty at some moment cannot be seen any more. */
const CAUSES: Record<RefundReason, (cause: Cause) => boolean> = {
  "refunded-at-gateway": ({ payment }) => payment.refunds.some(({ by }) => by === "dashboard"),
  "amount-mismatch": ({ payment, purchase }) => payment.amountPaise !== purchase.amountPaise,
  "duplicate-payment": hasOtherCapture,
  "already-refunded": hasOtherCapture,
  "purchase-ended": ({ purchase }) => purchase.ended,
  "purchase-replaced": ({ others }) => others.length > 0,
  "account-closed": ({ accountGone }) => accountGone,
  "already-owned": ({ others }) => others.some(({ status }) => status === "completed"),
  "out-of-stock": ({ purchase }) => purchase.status !== "completed",
  "coupon-used-up": ({ purchase }) => purchase.status !== "completed" && purchase.couponCode !== null,
  "cancelled-by-shop": ({ purchase }) => purchase.ended,
};

const isReason = (reason: string): reason is RefundReason => Object.hasOwn(CAUSES, reason);

export function hasCause(reason: string, cause: Cause): boolean {
  return isReason(reason) && CAUSES[reason](cause);
}
