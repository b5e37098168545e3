import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, moment, primaryId, updatedAt } from "./columns.ts";
import { userPurchases } from "./purchases.ts";

/**
 * What we asked a gateway to collect for one purchase. `receipt` is the purchase id, so an order whose answer was lost is
 * found again. `state`: creating (gateway not yet answered), open, settled (money accounted for), closed (nothing to
 * expect any more but late captures). Amounts in paise.
 */
export const paymentOrders = pgTable(
  "payment_orders",
  {
    id: primaryId(),
    purchaseId: uuid("purchase_id")
      .notNull()
      .unique()
      .references(() => userPurchases.id),
    gateway: text("gateway").notNull(),
    gatewayOrderId: text("gateway_order_id").unique(),
    receipt: text("receipt").notNull().unique(),
    amountPaise: integer("amount").notNull(),
    currency: text("currency").notNull(),
    testMode: boolean("test_mode").notNull(),
    state: text("state", { enum: ["creating", "open", "settled", "closed"] })
      .notNull()
      .default("creating"),
    polledAt: moment("checked_at"),
    /** How many of the gateway's answers were booked: tells whether another one came in between question and answer. */
    version: integer("answers_booked").notNull().default(0),
    /** When to ask the gateway about it again; null once nothing is expected any more. */
    nextPollAt: moment("next_check_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check("payment_orders_amount", sql`${table.amountPaise} >= 100`),
    index("payment_orders_open_idx").on(table.createdAt).where(sql`state in ('creating', 'open')`),
    index("payment_orders_check_idx").on(table.nextPollAt).where(sql`next_check_at is not null`),
  ],
);

export type PaymentOrder = typeof paymentOrders.$inferSelect;

/** One try of the buyer to pay an order; forward-only status. */
export const paymentAttempts = pgTable(
  "payment_attempts",
  {
    id: primaryId(),
    orderId: uuid("order_id")
      .notNull()
      .references(() => paymentOrders.id),
    gatewayPaymentId: text("gateway_payment_id").notNull().unique(),
    status: text("status", { enum: ["created", "authorized", "captured", "failed"] }).notNull(),
    amountPaise: integer("amount").notNull(),
    /** What of it went back, as the gateway last said, when that was a part of it: the owner's doing. Paise. */
    refundedPaise: integer("refunded_at_gateway").notNull().default(0),
    /** Why the shop decided not to capture an authorised payment; null: no such decision. Kept when it is captured by hand. */
    uncapturedReason: text("uncaptured_reason"),
    method: text("method"),
    errorDescription: text("error_description"),
    capturedAt: moment("captured_at"),
    /** What a captured payment became; exactly one of these, once it is accounted for. */
    outcome: text("outcome", { enum: ["pass", "refund", "cancellation"] }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("payment_attempts_order_idx").on(table.orderId),
    uniqueIndex("payment_attempts_one_pass_key").on(table.orderId).where(sql`outcome = 'pass'`),
  ],
);

export type PaymentAttempt = typeof paymentAttempts.$inferSelect;

/** Money going back. Written in the transaction that decides it, carried out by a job until final. */
export const refunds = pgTable(
  "refunds",
  {
    id: primaryId(),
    attemptId: uuid("attempt_id")
      .notNull()
      .references(() => paymentAttempts.id),
    amountPaise: integer("amount").notNull(),
    reason: text("reason").notNull(),
    idempotencyKey: text("idempotency_key").notNull().unique(),
    status: text("status", { enum: ["requested", "processing", "processed", "failed"] }).notNull(),
    gatewayRefundId: text("gateway_refund_id").unique(),
    tries: integer("tries").notNull().default(0),
    lastError: text("last_error"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check("refunds_amount", sql`${table.amountPaise} > 0`),
    index("refunds_attempt_idx").on(table.attemptId),
    index("refunds_unfinished_idx").on(table.createdAt).where(sql`status in ('requested', 'processing')`),
  ],
);

export type Refund = typeof refunds.$inferSelect;

/** The webhook inbox: stored before it is answered, handled after. `payload` is the raw body. */
export const webhookEvents = pgTable(
  "gateway_events",
  {
    id: primaryId(),
    gateway: text("gateway").notNull(),
    eventId: text("event_id").notNull(),
    type: text("type").notNull(),
    payload: text("payload").notNull(),
    gatewayOrderId: text("gateway_order_id"),
    gatewayPaymentId: text("gateway_payment_id"),
    processedAt: moment("handled_at"),
    lastError: text("last_error"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("gateway_events_event_key").on(table.gateway, table.eventId),
    index("gateway_events_unhandled_idx").on(table.createdAt).where(sql`handled_at is null`),
  ],
);
