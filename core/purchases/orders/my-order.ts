import type { Refund } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { OrderStatus } from "./order-status.ts";

type Columns =
  | "id"
  | "toolName"
  | "optionLabel"
  | "validityDays"
  | "listPricePaise"
  | "discountPaise"
  | "couponCode"
  | "amountPaise"
  | "source"
  | "testMode"
  | "startsAt"
  | "expiresAt"
  | "endedAt"
  | "createdAt";

/** One order of a buyer. Amounts in paise; the names and prices are those of the time of the order. */
export interface MyOrder extends Pick<Purchase, Columns> {
  status: OrderStatus;
  /** The captured payments, oldest first: one, unless the buyer has paid twice. */
  payments: readonly OrderPayment[];
  /** Oldest payment first. */
  refunds: readonly OrderRefund[];
  /** Why the last payment attempt of an order without a payment failed, as the gateway writes it for the buyer; null without one. */
  declined: string | null;
}

export interface OrderPayment {
  gateway: string;
  gatewayPaymentId: string;
  /** As the gateway names it, such as `upi`; null when it does not. */
  method: string | null;
  amountPaise: number;
  paidAt: Date;
}

export interface OrderRefund {
  status: Refund["status"];
  amountPaise: number;
  /** When it got this status. */
  at: Date;
}
