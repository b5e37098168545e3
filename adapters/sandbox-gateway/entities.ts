import { randomInt } from "node:crypto";
import type { sandboxOrders, sandboxPayments, sandboxRefunds } from "#db/tables/sandbox.ts";

export type OrderRow = typeof sandboxOrders.$inferSelect;
export type PaymentRow = typeof sandboxPayments.$inferSelect;
export type RefundRow = typeof sandboxRefunds.$inferSelect;

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An id in the form of Razorpay: a prefix and 14 random letters or digits. */
export function newId(prefix: "order" | "pay" | "rfnd" | "evt"): string {
  const letters = Array.from({ length: 14 }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${prefix}_${letters.join("")}`;
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

export function orderEntity(order: OrderRow) {
  const paid = order.status === "paid" ? order.amountPaise : 0;
  return {
    id: order.id,
    entity: "order",
    amount: order.amountPaise,
    amount_paid: paid,
    amount_due: order.amountPaise - paid,
    currency: order.currency,
    receipt: order.receipt,
    offer_id: null,
    status: order.status,
    attempts: order.attempts,
    notes: JSON.parse(order.notes),
    created_at: seconds(order.createdAt),
  };
}

export function paymentEntity(payment: PaymentRow) {
  const failed = payment.status === "failed";
  return {
    id: payment.id,
    entity: "payment",
    amount: payment.amountPaise,
    currency: payment.currency,
    status: payment.status,
    order_id: payment.orderId,
    invoice_id: null,
    international: false,
    method: "upi",
    amount_refunded: payment.refundedPaise,
    refund_status: refundStatus(payment),
    captured: payment.status === "captured" || payment.status === "refunded",
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: "test@sandbox",
    notes: {},
    fee: failed ? null : 0,
    tax: failed ? null : 0,
    error_code: failed ? "BAD_REQUEST_ERROR" : null,
    error_description: payment.errorDescription,
    error_source: failed ? "bank" : null,
    error_step: failed ? "payment_authorization" : null,
    error_reason: failed ? "payment_failed" : null,
    created_at: seconds(payment.createdAt),
  };
}

function refundStatus({ amountPaise, refundedPaise }: PaymentRow): "full" | "partial" | null {
  if (refundedPaise === 0) return null;
  return refundedPaise === amountPaise ? "full" : "partial";
}

export function refundEntity(refund: RefundRow, currency: string) {
  return {
    id: refund.id,
    entity: "refund",
    amount: refund.amountPaise,
    currency,
    payment_id: refund.paymentId,
    notes: {},
    receipt: null,
    acquirer_data: { arn: null },
    batch_id: null,
    status: refund.status,
    speed_processed: "normal",
    speed_requested: "normal",
    created_at: seconds(refund.createdAt),
  };
}

export function collection<Item>(items: Item[]) {
  return { entity: "collection", count: items.length, items };
}
