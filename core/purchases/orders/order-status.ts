import type { Refund } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";

/** What became of an order, for its buyer. */
export type OrderStatus =
  /** The checkout is open and nothing was paid yet. */
  | "awaiting-payment"
  /** A payment was seen and is not captured yet. */
  | "confirming"
  | "not-paid"
  /** A payment was authorised and left uncaptured. */
  | "not-charged"
  | "not-started"
  | "active"
  | "expired"
  | "cancelled"
  | "refund-started"
  | "refunded";

type Columns = "status" | "endedReason" | "startsAt" | "expiresAt";

interface OrderFacts extends Pick<Purchase, Columns> {
  refunds: readonly Pick<Refund, "status">[];
  /** An authorised or captured payment exists that is not left uncaptured. */
  paymentSeen: boolean;
  /** An authorised payment was left uncaptured. */
  uncaptured: boolean;
}

export function orderStatus(order: OrderFacts, now: Date): OrderStatus {
  const { status, endedReason, startsAt, expiresAt, refunds, paymentSeen, uncaptured } = order;
  // The owner makes a failed refund again, so its buyer sees it as started.
  const refundStatus = refunds.every((refund) => refund.status === "processed")
    ? "refunded"
    : "refund-started";
  if (endedReason === "refunded") return refundStatus;
  if (endedReason !== null) return "cancelled";
  if (status === "pending") return paymentSeen ? "confirming" : "awaiting-payment";
  if (status === "failed") {
    if (refunds.length > 0) return refundStatus;
    if (paymentSeen) return "confirming";
    return uncaptured ? "not-charged" : "not-paid";
  }
  if (startsAt !== null && now < startsAt) return "not-started";
  return expiresAt !== null && now < expiresAt ? "active" : "expired";
}
