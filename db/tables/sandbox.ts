import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, moment, updatedAt } from "./columns.ts";

/** The sandbox gateway's own tables. Only the sandbox reads and writes them. */
export const sandboxOrders = pgTable("sandbox_orders", {
  id: text("id").primaryKey(),
  receipt: text("receipt").notNull().unique(),
  amountPaise: integer("amount").notNull(),
  currency: text("currency").notNull(),
  status: text("status", { enum: ["created", "attempted", "paid"] }).notNull(),
  /** Without the fee that a buyer bears; null: the whole amount once it is paid. */
  amountPaidPaise: integer("amount_paid"),
  attempts: integer("attempts").notNull().default(0),
  notes: text("notes").notNull().default("{}"),
  createdAt: createdAt(),
});

export const sandboxPayments = pgTable(
  "sandbox_payments",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => sandboxOrders.id),
    /** What the buyer pays: with the fee on top that the buyer bears, less an offer. */
    amountPaise: integer("amount").notNull(),
    buyerFeePaise: integer("buyer_fee").notNull().default(0),
    offerPaise: integer("offer").notNull().default(0),
    currency: text("currency").notNull(),
    status: text("status", { enum: ["created", "authorized", "captured", "failed", "refunded"] }).notNull(),
    refundedPaise: integer("amount_refunded").notNull().default(0),
    errorDescription: text("error_description"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("sandbox_payments_order_idx").on(table.orderId),
    // An order is paid once, however many tabs show its checkout.
    uniqueIndex("sandbox_payments_paid_key").on(table.orderId).where(sql`status in ('captured', 'refunded')`),
  ],
);

export const sandboxRefunds = pgTable("sandbox_refunds", {
  id: text("id").primaryKey(),
  paymentId: text("payment_id")
    .notNull()
    .references(() => sandboxPayments.id),
  amountPaise: integer("amount").notNull(),
  idempotencyKey: text("idempotency_key").unique(),
  status: text("status", { enum: ["pending", "processed", "failed"] }).notNull(),
  createdAt: createdAt(),
});

export const sandboxDisputes = pgTable("sandbox_disputes", {
  id: text("id").primaryKey(),
  paymentId: text("payment_id")
    .notNull()
    .references(() => sandboxPayments.id),
  amountPaise: integer("amount").notNull(),
  deductedPaise: integer("amount_deducted").notNull().default(0),
  phase: text("phase").notNull(),
  status: text("status", { enum: ["open", "under_review", "won", "lost", "closed"] }).notNull(),
  reasonCode: text("reason_code").notNull(),
  reason: text("reason_description").notNull(),
  respondBy: moment("respond_by").notNull(),
  createdAt: createdAt(),
});

/** Webhooks to deliver. They are stored, so that a restart delivers those that the shop has not answered with 2xx. */
export const sandboxWebhooks = pgTable(
  "sandbox_webhooks",
  {
    id: text("id").primaryKey(),
    event: text("event").notNull(),
    body: text("body").notNull(),
    tries: integer("tries").notNull().default(0),
    nextTryAt: moment("next_try_at").notNull(),
    deliveredAt: moment("delivered_at"),
    createdAt: createdAt(),
  },
  (table) => [index("sandbox_webhooks_due_idx").on(table.nextTryAt).where(sql`delivered_at is null`)],
);
