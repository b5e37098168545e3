import { createHmac } from "node:crypto";
import { orderEntity, paymentEntity, refundEntity } from "./entities.ts";
import { newId, type Order, type Payment, type Refund } from "./records.ts";

export type GatewayEvent =
  | { event: "payment.authorized" | "payment.captured" | "payment.failed"; payment: Payment }
  | { event: "order.paid"; payment: Payment; order: Order }
  | { event: "refund.created" | "refund.processed" | "refund.failed"; payment: Payment; refund: Refund };

/** One webhook as it is sent: a snapshot of the time of the event. */
export interface WebhookEvent {
  /** Sent as x-razorpay-event-id, the same at every delivery. */
  id: string;
  type: GatewayEvent["event"];
  orderId: string;
  paymentId: string;
  rawBody: string;
  /** Made with the secret at the time of the event. As at the real gateway, retries keep it when the secret changes. */
  signature: string;
  /** One per delivery: the status (null without a response) and the duration. */
  responses: { status: number | null; ms: number }[];
}

export function createEvent(
  gatewayEvent: GatewayEvent,
  options: { now: number; secret: string },
): WebhookEvent {
  const payload = {
    ...("refund" in gatewayEvent ? { refund: { entity: refundEntity(gatewayEvent.refund) } } : {}),
    payment: { entity: paymentEntity(gatewayEvent.payment) },
    ...("order" in gatewayEvent ? { order: { entity: orderEntity(gatewayEvent.order) } } : {}),
  };
  const rawBody = JSON.stringify({
    entity: "event",
    account_id: "acc_FakeGateway000",
    event: gatewayEvent.event,
    contains: Object.keys(payload),
    payload,
    created_at: Math.floor(options.now / 1000),
  });
  return {
    id: newId(""),
    type: gatewayEvent.event,
    orderId: gatewayEvent.payment.order.id,
    paymentId: gatewayEvent.payment.id,
    rawBody,
    signature: hmac(rawBody, options.secret),
    responses: [],
  };
}

/** Hex HMAC-SHA256: the signature of webhooks and payments. */
export function hmac(text: string, secret: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

export const isDelivered = ({ responses }: WebhookEvent) =>
  responses.some(({ status }) => status !== null && status >= 200 && status < 300);
