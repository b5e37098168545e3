import type { Order, Payment, Refund } from "./records.ts";

const seconds = (ms: number) => Math.floor(ms / 1000);
/** The gateway writes empty notes as a list. */
const notesOf = (notes: Record<string, string>) => (Object.keys(notes).length > 0 ? notes : []);

export function orderEntity(order: Order) {
  return {
    id: order.id,
    entity: "order",
    amount: order.amount,
    amount_paid: order.amountPaid,
    amount_due: Math.max(0, order.amount - order.amountPaid),
    currency: order.currency,
    receipt: order.receipt,
    offer_id: null,
    status: order.status,
    attempts: order.attempts,
    notes: notesOf(order.notes),
    created_at: seconds(order.createdAt),
  };
}

export function paymentEntity(payment: Payment) {
  const failed = payment.status === "failed";
  // 2 % plus 18 % tax on it, known once the payment is captured.
  const fee = payment.captured ? Math.round(payment.amount * 0.0236) : null;
  return {
    id: payment.id,
    entity: "payment",
    amount: payment.amount,
    currency: payment.currency,
    status: payment.status,
    order_id: payment.order.id,
    invoice_id: null,
    international: false,
    method: "upi",
    amount_refunded: payment.amountRefunded,
    refund_status: refundStatus(payment),
    captured: payment.captured,
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: "buyer@okbank",
    email: "buyer@example.com",
    contact: "+919900000000",
    notes: [],
    fee,
    tax: fee === null ? null : Math.round((fee * 18) / 118),
    error_code: failed ? "BAD_REQUEST_ERROR" : null,
    error_description: payment.errorDescription,
    error_source: failed ? "customer" : null,
    error_step: failed ? "payment_authentication" : null,
    error_reason: failed ? "payment_failed" : null,
    acquirer_data: { rrn: failed ? null : "322206890934" },
    created_at: seconds(payment.createdAt),
  };
}

function refundStatus({ amount, amountRefunded }: Payment): "full" | "partial" | null {
  if (amountRefunded === 0) return null;
  return amountRefunded >= amount ? "full" : "partial";
}

export function refundEntity(refund: Refund) {
  return {
    id: refund.id,
    entity: "refund",
    amount: refund.amount,
    currency: refund.payment.currency,
    payment_id: refund.payment.id,
    notes: [],
    receipt: null,
    acquirer_data: { arn: refund.status === "processed" ? "10000000000000" : null },
    created_at: seconds(refund.createdAt),
    batch_id: null,
    status: refund.status,
    speed_processed: "normal",
    speed_requested: "normal",
  };
}

export function collection<Item>(items: Item[]) {
  return { entity: "collection", count: items.length, items };
}
