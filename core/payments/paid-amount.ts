import type { PaymentOrder } from "#db/tables/payments.ts";
import { MINUTE } from "../time.ts";
import type { GatewayPayment, OrderBalance } from "./payment-gateway.ts";

/**
 * What a payment pays. `order`: the amount of its order, and on top the fee that the buyer bears (paise; 0: none).
 * `undecided`: the gateway has not reported yet what would explain the difference.
 */
export type PaidAmount =
  | { pays: "order"; buyerFeePaise: number }
  | { pays: "another-amount" }
  | { pays: "undecided" };

type PricedOrder = Pick<PaymentOrder, "amountPaise" | "currency">;

const anotherAmount: PaidAmount = { pays: "another-amount" };
const undecided: PaidAmount = { pays: "undecided" };

/** The gateway reports the fee with the capture. A young payment without a fee is asked about again, because a refund is final. */
const FEE_REPORTED_WITHIN_MS = 2 * MINUTE;

/** Whether `readPaidAmount` needs the balance of the order. */
export function needsBalance(order: PricedOrder, { currency, amountPaise, status }: GatewayPayment): boolean {
  const hasMoney = status === "authorized" || status === "captured";
  return hasMoney && currency === order.currency && amountPaise < order.amountPaise;
}

/**
 * Compares a payment with its order. It pays the order when both amounts are equal; when the payment is higher by exactly the
 * gateway's fee; or when it is lower, and the gateway itself counts the order as paid in full by it, because of an offer of the
 * owner at the gateway. No other difference is accepted, however small it is.
 *
 * @param balance of the order, read after the payment; null: not needed (`needsBalance`)
 */
export function readPaidAmount(
  order: PricedOrder,
  payment: GatewayPayment,
  balance: OrderBalance | null,
  now: Date,
): PaidAmount {
  const { amountPaise, status, feePaise } = payment;
  if (payment.currency !== order.currency) return anotherAmount;
  const buyerFeePaise = amountPaise - order.amountPaise;
  if (buyerFeePaise === 0) return { pays: "order", buyerFeePaise };
  if (buyerFeePaise > 0) {
    if (feePaise === buyerFeePaise) return { pays: "order", buyerFeePaise };
    const isYoung = now.getTime() - payment.createdAt.getTime() < FEE_REPORTED_WITHIN_MS;
    const mayBeReported = status === "authorized" || (status === "captured" && isYoung);
    return mayBeReported && !feePaise ? undecided : anotherAmount;
  }
  const isPaid = balance?.isPaid === true && balance.currency === order.currency;
  if (isPaid && balance.duePaise === 0 && balance.paidPaise === amountPaise)
    return { pays: "order", buyerFeePaise: 0 };
  return status === "authorized" && !isPaid ? undecided : anotherAmount;
}
