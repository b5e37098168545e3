import { randomInt } from "node:crypto";
import type { sandboxOrders, sandboxPayments, sandboxRefunds } from "#db/tables/sandbox.ts";
import { SandboxApiError, unknownId } from "./api-error.ts";

export type Order = typeof sandboxOrders.$inferSelect;
export type Payment = Omit<typeof sandboxPayments.$inferSelect, "updatedAt"> & {
  /** Stays false for an authorised payment that the gateway returned, although its status is 'refunded'. */
  captured: boolean;
};
export type Refund = typeof sandboxRefunds.$inferSelect;

/** An order with all its payments and refunds, oldest first. */
export interface OrderRecords {
  order: Order;
  payments: Payment[];
  refunds: Refund[];
}

export type GatewayEvent =
  | { event: "payment.authorized" | "payment.captured" | "payment.failed"; payment: Payment }
  | { event: "order.paid"; payment: Payment; order: Order }
  | { event: "refund.created" | "refund.processed" | "refund.failed"; payment: Payment; refund: Refund };

/** The records of an order while they are changed. What changes them emits an event. */
export interface Change extends OrderRecords {
  now: Date;
  /** Makes the webhook of an event, with the records as they are now. */
  emit(event: GatewayEvent): void;
}

/** Names an order by its id, or by the id of one of its payments or refunds. */
export type RecordId = { orderId: string } | { paymentId: string } | { refundId: string };

/** Where a gateway keeps its records. */
export interface GatewayStore {
  /** @returns false when the store refuses a second order of its receipt */
  addOrder(order: Order): Promise<boolean>;
  /** Newest first. */
  listOrders(filter: { receipt: string | undefined; count: number; skip: number }): Promise<Order[]>;
  /** @throws SandboxApiError when there is no such record */
  find(id: RecordId): Promise<OrderRecords>;
  /**
   * Changes the records of an order, one change at a time, and stores its webhooks with it.
   *
   * @param make changes the records, or throws before it changes any
   * @throws SandboxApiError when there is no such record
   */
  change<Result>(id: RecordId, make: (change: Change) => Result): Promise<Result>;
}

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An id in the form of Razorpay: a prefix and 14 random letters or digits. */
export function newId(prefix: "order" | "pay" | "rfnd" | "evt"): string {
  const letters = Array.from({ length: 14 }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${prefix}_${letters.join("")}`;
}

/** @throws SandboxApiError when the list has no such id */
export function findById<Item extends { id: string }>(items: readonly Item[], id: string): Item {
  const found = items.find((item) => item.id === id);
  if (!found) throw unknownId();
  return found;
}

export const reusedKey = () =>
  new SandboxApiError("Different request with the same idempotency key has already been processed.");
