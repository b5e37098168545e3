import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, moment, primaryId, updatedAt } from "./columns.ts";
import { userPurchases } from "./purchases.ts";

/**
 * Payment orders: what the shop asks a gateway to collect for one purchase. `receipt` is the purchase id, so that an
 * order whose response was lost is found again. `state`: creating (the gateway has not answered), open, settled (its
 * payment has an outcome), closed (only late payments are possible). Amounts in paise.
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
    /** How many responses of the gateway were recorded. A response is stale when this has grown since its request. */
    version: integer("answers_booked").notNull().default(0),
    /** When to poll the gateway again; null when no change is expected any more. */
    nextPollAt: moment("next_check_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check("payment_orders_amount", sql`${table.amountPaise} >= 100`),
    index("payment_orders_open_idx").on(table.createdAt).where(sql`state in ('creating', 'open')`),
    // Without them, a sum of payments would look every order up.
    index("payment_orders_test_idx").on(table.id).where(sql`test_mode`),
    index("payment_orders_manual_idx").on(table.id).where(sql`gateway = 'manual'`),
    index("payment_orders_check_idx").on(table.nextPollAt).where(sql`next_check_at is not null`),
  ],
);

export type PaymentOrder = typeof paymentOrders.$inferSelect;

/** The payer: see core/vault/seal-payer.ts. */
const payerColumns = () => ({
  /** Sealed (AAD = table|row|column); null: nothing was reported, or it is not kept any more. */
  payerSealed: text("payer_sealed"),
  /** Keyed hashes of what finds the payment in a search; null: not asked for yet. */
  payerHashes: text("payer_hashes").array(),
});

/**
 * Payment attempts: one payment at the gateway. `status` changes only as core/payments/payment-states.ts
 * allows.
 */
export const paymentAttempts = pgTable(
  "payment_attempts",
  {
    id: primaryId(),
    orderId: uuid("order_id")
      .notNull()
      .references(() => paymentOrders.id),
    gatewayPaymentId: text("gateway_payment_id").notNull().unique(),
    status: text("status", { enum: ["created", "authorized", "captured", "failed"] }).notNull(),
    /** What the buyer has paid: with a fee on top more than the order, with an offer less. */
    amountPaise: integer("amount").notNull(),
    /** Paise. The part of the amount that is the gateway's fee, where the buyer bears it; it is no revenue. */
    buyerFeePaise: integer("buyer_fee").notNull().default(0),
    /** Paise. The partial refunds that were made on the gateway's own pages, as the gateway last reported. */
    refundedPaise: integer("refunded_at_gateway").notNull().default(0),
    /** Paise. What the gateway has taken back in lost disputes, at most the amount. */
    lostPaise: integer("lost").notNull().default(0),
    /**
     * Why an authorised payment was left uncaptured; null without that decision. It stays when somebody captures the
     * payment on the gateway's own pages.
     */
    uncapturedReason: text("uncaptured_reason"),
    method: text("method"),
    /** Paise. The gateway's fee with its tax, and that tax; null: not known. */
    feePaise: integer("fee"),
    taxPaise: integer("tax"),
    ...payerColumns(),
    errorDescription: text("error_description"),
    capturedAt: moment("captured_at"),
    /** The outcome of a captured payment; null until it is decided. */
    outcome: text("outcome", { enum: ["pass", "refund", "cancellation", "chargeback"] }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("payment_attempts_order_idx").on(table.orderId),
    // For the sales by day: it has every column of that sum, so that the index alone is read.
    index("payment_attempts_sales_idx")
      .on(
        sql`coalesce(${table.capturedAt}, ${table.createdAt})`,
        table.capturedAt,
        table.createdAt,
        table.amountPaise,
        table.buyerFeePaise,
        table.refundedPaise,
        table.orderId,
        table.id,
      )
      .where(sql`status = 'captured'`),
    // For the sum of all payments. Few amounts differ, so Postgres stores each once, and the index stays small.
    index("payment_attempts_amounts_idx")
      .on(table.amountPaise, table.buyerFeePaise, table.refundedPaise)
      .where(sql`status = 'captured'`),
    // For the sums: few payments are lost.
    index("payment_attempts_lost_idx").on(table.id, table.lostPaise).where(sql`lost > 0`),
    uniqueIndex("payment_attempts_one_pass_key").on(table.orderId).where(sql`outcome = 'pass'`),
    index("payment_attempts_payer_idx").using("gin", table.payerHashes),
    // For the retention and the rotation of keys.
    index("payment_attempts_sealed_idx").on(table.createdAt).where(sql`payer_sealed is not null`),
    // Payments of versions that kept no payer; empty once `readPayers` has read all.
    index("payment_attempts_unread_idx").on(table.id).where(sql`payer_hashes is null`),
  ],
);

export type PaymentAttempt = typeof paymentAttempts.$inferSelect;

/** Refunds. Written in the transaction that decides them, processed by a job until they are final. */
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
    status: text("status", {
      enum: ["requested", "processing", "processed", "failed", "charged-back"],
    }).notNull(),
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

/** How money reached or left the shop without a gateway. */
const way = () => text("way", { enum: ["upi", "cash", "bank-transfer", "other"] });

/**
 * Credits: money that arrived without a gateway, as an admin has recorded it, each with its payment attempt in an order of the
 * gateway `manual`. No two have the same way and reference, so that a transfer pays for one pass. `reference` and `payerName`
 * are null when none was entered, and after the account is deleted.
 */
export const credits = pgTable(
  "credits",
  {
    id: primaryId(),
    attemptId: uuid("attempt_id")
      .notNull()
      .unique()
      .references(() => paymentAttempts.id),
    way: way().notNull(),
    reference: text("reference"),
    payerName: text("payer_name"),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("credits_reference_key").on(table.way, table.reference)],
);

/**
 * Payouts: refunds that a person makes, because no gateway has the money. `promised` until an admin enters how it was
 * given back; then its refund is processed. `reference` is null when none was entered, and after the account is deleted.
 */
export const payouts = pgTable(
  "payouts",
  {
    id: primaryId(),
    refundId: uuid("refund_id")
      .notNull()
      .unique()
      .references(() => refunds.id),
    state: text("state", { enum: ["promised", "paid"] })
      .notNull()
      .default("promised"),
    /** null while it is promised. */
    way: way(),
    reference: text("reference"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check("payouts_paid_has_way", sql`(${table.state} = 'paid') = (${table.way} is not null)`),
    index("payouts_promised_idx").on(table.createdAt).where(sql`state = 'promised'`),
  ],
);

/** Webhook events: stored before they are answered and processed after. `payload` is the raw body. */
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
    gatewayDisputeId: text("gateway_dispute_id"),
    processedAt: moment("handled_at"),
    lastError: text("last_error"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("gateway_events_event_key").on(table.gateway, table.eventId),
    // For the timeline of a purchase.
    index("gateway_events_order_idx").on(table.gatewayOrderId).where(sql`gateway_order_id is not null`),
    // For the deletion of an account: the event of a refund may name its payment only.
    index("gateway_events_payment_idx").on(table.gatewayPaymentId).where(sql`gateway_payment_id is not null`),
    // Whether the gateway has ever reported a dispute.
    index("gateway_events_dispute_idx").on(table.gateway).where(sql`gateway_dispute_id is not null`),
    index("gateway_events_unhandled_idx").on(table.createdAt).where(sql`handled_at is null`),
  ],
);

/**
 * Unknown payments: captured payments of orders that are missing from the backup from which the shop was restored, as the
 * gateway reports them. `state`: waiting (for an admin), refunding, refunded, charged-back (lost in full in a dispute),
 * assigned (a purchase of this shop has the order now). `idempotencyKey` and what follows it belong to the refund. Amounts in
 * paise.
 */
export const unknownPayments = pgTable(
  "unknown_payments",
  {
    id: primaryId(),
    gateway: text("gateway").notNull(),
    testMode: boolean("test_mode").notNull(),
    gatewayPaymentId: text("gateway_payment_id").notNull().unique(),
    gatewayOrderId: text("gateway_order_id").notNull(),
    receipt: text("receipt").notNull(),
    amountPaise: integer("amount").notNull(),
    /** The amount of the order that the payment pays; null: it pays another amount than the order's. */
    orderAmountPaise: integer("order_amount"),
    buyerFeePaise: integer("buyer_fee").notNull().default(0),
    currency: text("currency").notNull(),
    method: text("method"),
    /** When the gateway got the payment. */
    paidAt: moment("paid_at").notNull(),
    /** The payer's, as the gateway reports it; null: it does not, or it was removed after the refund or assignment. */
    email: text("email"),
    phone: text("phone"),
    ...payerColumns(),
    /** What the lost purchase was, by the notes of the order: no reference is sure to exist. */
    toolSlug: text("tool_slug"),
    buyerId: text("buyer_id"),
    validityDays: integer("validity"),
    orderNumber: text("order_number"),
    state: text("state", { enum: ["waiting", "refunding", "refunded", "assigned", "charged-back"] })
      .notNull()
      .default("waiting"),
    /** The purchase that it was assigned to. */
    purchaseId: uuid("purchase_id").references(() => userPurchases.id),
    idempotencyKey: text("idempotency_key").unique(),
    gatewayRefundId: text("gateway_refund_id").unique(),
    /** What was refunded in the end: less than the payment when the owner had refunded a part. */
    refundedPaise: integer("refunded").notNull().default(0),
    tries: integer("tries").notNull().default(0),
    lastError: text("last_error"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check("unknown_payments_amount", sql`${table.amountPaise} > 0`),
    check(
      "unknown_payments_assigned",
      sql`(${table.state} = 'assigned') = (${table.purchaseId} is not null)`,
    ),
    index("unknown_payments_open_idx")
      .on(table.paidAt, table.id)
      .where(sql`state in ('waiting', 'refunding')`),
  ],
);

export type UnknownPayment = typeof unknownPayments.$inferSelect;

/**
 * Payment disputes: the bank of a payer wants the money of a payment back. A payment may have several, and one may be of a
 * payment that the shop does not know. The row is what the gateway reports; `status` changes only as
 * core/payments/payment-states.ts allows. Amounts in paise.
 */
export const paymentDisputes = pgTable(
  "payment_disputes",
  {
    id: primaryId(),
    gateway: text("gateway").notNull(),
    testMode: boolean("test_mode").notNull(),
    gatewayDisputeId: text("gateway_dispute_id").notNull().unique(),
    gatewayPaymentId: text("gateway_payment_id").notNull(),
    /** May be less than the payment. */
    amountPaise: integer("amount").notNull(),
    /** What the gateway says that it has taken; null: it does not say. */
    deductedPaise: integer("amount_deducted"),
    currency: text("currency").notNull(),
    phase: text("phase").notNull(),
    status: text("status", { enum: ["open", "under_review", "won", "lost", "closed"] }).notNull(),
    reasonCode: text("reason_code"),
    /** The gateway's words; null: there are none, or the account is deleted. */
    reason: text("reason"),
    /** Until when the owner has to answer the bank. */
    respondBy: moment("respond_by"),
    /** When the gateway opened it. */
    openedAt: moment("opened_at").notNull(),
    createdAt: createdAt(),
    /** When it got its status. */
    updatedAt: updatedAt(),
  },
  (table) => [
    check("payment_disputes_amount", sql`${table.amountPaise} > 0`),
    index("payment_disputes_payment_idx").on(table.gatewayPaymentId),
    index("payment_disputes_status_idx").on(table.status, table.updatedAt),
  ],
);

export type PaymentDispute = typeof paymentDisputes.$inferSelect;
