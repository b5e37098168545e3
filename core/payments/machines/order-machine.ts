import type { PaymentOrder } from "#db/tables/payments.ts";
import type { StateTable } from "./state-table.ts";

/**
 * creating: the gateway has not answered yet · open: it can be paid · settled: a payment has an outcome · closed: given
 * up.
 */
export type OrderState = PaymentOrder["state"];

export type OrderEvent =
  /** The gateway has created the order. */
  | "created-at-gateway"
  /** A captured payment of the order has an outcome. */
  | "payment-settled"
  /** No payment is expected any more. A late webhook still settles the order. */
  | "given-up";

export const ORDER_TABLE: StateTable<OrderState, OrderEvent> = {
  creating: { "created-at-gateway": "open", "payment-settled": "settled", "given-up": "closed" },
  open: { "created-at-gateway": null, "payment-settled": "settled", "given-up": "closed" },
  settled: { "created-at-gateway": null, "payment-settled": null, "given-up": null },
  closed: { "created-at-gateway": "open", "payment-settled": "settled", "given-up": null },
};

/** The effect of an event on an order; null: none. */
export function orderTransition(state: OrderState, event: OrderEvent): OrderState | null {
  return ORDER_TABLE[state][event];
}
