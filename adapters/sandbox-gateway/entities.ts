import type { GatewayEvent, Order, Payment, Refund } from "./records.ts";

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

export function orderEntity(order: Order) {
  const paid = order.status === "paid" ? order.amountPaise : 0;
  const notes: object = JSON.parse(order.notes);
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
    // The gateway writes empty notes as a list.
    notes: Object.keys(notes).length > 0 ? notes : [],
    created_at: seconds(order.createdAt),
  };
}

export function paymentEntity(payment: Payment) {
  const failed = payment.status === "failed";
  // 2 % plus 18 % tax on it, known once the payment is captured.
  const fee = payment.captured ? Math.round(payment.amountPaise * 0.0236) : null;
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
    captured: payment.captured,
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: "test@sandbox",
    email: "buyer@example.com",
    contact: "+919900000000",
    notes: [],
    fee,
    tax: fee === null ? null : Math.round((fee * 18) / 118),
    error_code: failed ? "BAD_REQUEST_ERROR" : null,
    error_description: payment.errorDescription,
    error_source: failed ? "bank" : null,
    error_step: failed ? "payment_authorization" : null,
    error_reason: failed ? "payment_failed" : null,
    acquirer_data: { rrn: failed ? null : "322206890934" },
    created_at: seconds(payment.createdAt),
  };
}

function refundStatus({ amountPaise, refundedPaise }: Payment): "full" | "partial" | null {
  if (refundedPaise === 0) return null;
  return refundedPaise === amountPaise ? "full" : "partial";
}

export function refundEntity(refund: Refund, { currency }: Payment) {
  return {
    id: refund.id,
    entity: "refund",
    amount: refund.amountPaise,
    currency,
    payment_id: refund.paymentId,
    notes: [],
    receipt: null,
    acquirer_data: { arn: refund.status === "processed" ? "10000000000000" : null },
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

/** The body of the webhook of an event, with the records as they are now. */
export function webhookBody(one: GatewayEvent, now: Date): string {
  const payload = {
    ...("refund" in one ? { refund: { entity: refundEntity(one.refund, one.payment) } } : {}),
    payment: { entity: paymentEntity(one.payment) },
    ...("order" in one ? { order: { entity: orderEntity(one.order) } } : {}),
  };
  return JSON.stringify({
    entity: "event",
    account_id: "acc_sandbox",
    event: one.event,
    contains: Object.keys(payload),
    payload,
    created_at: seconds(now),
  });
}
