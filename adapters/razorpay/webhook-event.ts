import { createHash } from "node:crypto";
import type { GatewayEvent } from "#core/checkout/payment-gateway.ts";
import { wireEvent } from "./wire.ts";

/**
 * Reads the body of a webhook whose signature was already found to be right.
 *
 * @param eventId the x-razorpay-event-id header; without one, the same body always gets the same id, so that a delivery
 * made twice is still known as one
 * @returns null when the body is not an event
 */
export function readWebhookEvent(rawBody: string, eventId: string | null): GatewayEvent | null {
  const parsed = wireEvent.safeParse(parseJson(rawBody));
  if (!parsed.success) return null;
  const { payment, order, refund } = parsed.data.payload;
  return {
    eventId: eventId || `body-${createHash("sha256").update(rawBody, "utf8").digest("hex")}`,
    type: parsed.data.event,
    orderId: payment?.entity.order_id ?? order?.entity.id ?? null,
    paymentId: payment?.entity.id ?? refund?.entity.payment_id ?? null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
