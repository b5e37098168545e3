import { createHash } from "node:crypto";
import type { WebhookEvent } from "#core/payments/payment-gateway.ts";
import { wireEvent } from "./api-schemas.ts";

/**
 * Reads the body of a webhook whose signature was already found to be right.
 *
 * @param eventId the x-razorpay-event-id header; without one, the same body always gets the same id, so that a delivery
 * made twice is still known as one
 * @returns an event of type 'unreadable' for a body of another shape: it is the gateway's own all the same, and refusing it
 * would only bring it again
 */
export function readWebhookEvent(rawBody: string, eventId: string | null): WebhookEvent {
  const id = eventId ? shortened(eventId) : `body-${hashOf(rawBody)}`;
  const parsed = wireEvent.safeParse(parseJson(rawBody));
  if (!parsed.success) return { eventId: id, type: "unreadable", orderId: null, paymentId: null };
  const { payment, order, refund } = parsed.data.payload;
  return {
    eventId: id,
    type: parsed.data.event,
    orderId: payment?.entity.order_id ?? order?.entity.id ?? null,
    paymentId: payment?.entity.id ?? refund?.entity.payment_id ?? null,
  };
}

const hashOf = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

/** More than any id needs, and less than an index of the database takes. */
const LONGEST_ID = 200;

const shortened = (id: string) => (id.length > LONGEST_ID ? `long-${hashOf(id)}` : id);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
