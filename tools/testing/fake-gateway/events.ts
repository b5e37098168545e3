import { createHmac } from "node:crypto";
import { newId, type Order, type Payment, type Refund } from "./books.ts";
import { orderEntity, paymentEntity, refundEntity } from "./entities.ts";

export type Happening =
  | { event: "payment.authorized" | "payment.captured" | "payment.failed"; payment: Payment }
  | { event: "order.paid"; payment: Payment; order: Order }
  | { event: "refund.created" | "refund.processed" | "refund.failed"; payment: Payment; refund: Refund };

/** One webhook, as it is sent: a snapshot of the moment it speaks of. */
export interface WebhookEvent {
  /** Sent as x-razorpay-event-id, the same at every delivery. */
  id: string;
  type: Happening["event"];
  orderId: string;
  paymentId: string;
  rawBody: string;
  /** Made with the secret of the moment it happened, as the gateway does: retries keep it when the secret changes. */
  signature: string;
  /** What the shop answered at each delivery (null: nothing), and how long it took. */
  answers: { status: number | null; ms: number }[];
}

export function createEvent(happening: Happening, options: { now: number; secret: string }): WebhookEvent {
  const payload = {
    ...("refund" in happening ? { refund: { entity: refundEntity(happening.refund) } } : {}),
    payment: { entity: paymentEntity(happening.payment) },
    ...("order" in happening ? { order: { entity: orderEntity(happening.order) } } : {}),
  };
  const rawBody = JSON.stringify({
    entity: "event",
    account_id: "acc_FakeGateway000",
    event: happening.event,
    contains: Object.keys(payload),
    payload,
    created_at: Math.floor(options.now / 1000),
  });
  return {
    id: newId(""),
    type: happening.event,
    orderId: happening.payment.order.id,
    paymentId: happening.payment.id,
    rawBody,
    signature: hmac(rawBody, options.secret),
    answers: [],
  };
}

/** Hex HMAC-SHA256, in which the gateway signs webhooks and payments. */
export function hmac(text: string, secret: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

export const isDelivered = ({ answers }: WebhookEvent) =>
  answers.some(({ status }) => status !== null && status >= 200 && status < 300);
