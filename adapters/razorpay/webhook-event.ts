import { createHash } from "node:crypto";
import type { WebhookEvent } from "#core/payments/payment-gateway.ts";
import { apiWebhookEvent } from "./api-schemas.ts";

/**
 * Parses the body of a webhook whose signature was checked.
 *
 * @param eventId the x-razorpay-event-id header. Without it the id is a hash of the body, so that a repeated delivery
 *   has the same id
 * @returns an event of type 'unreadable' for a body of an unknown shape: the gateway signed it, and would repeat it if
 *   it was refused
 */
export function parseWebhookEvent(rawBody: string, eventId: string | null): WebhookEvent {
  const id = eventId ? toStorableId(eventId) : `body-${hashOf(rawBody)}`;
  const parsed = apiWebhookEvent.safeParse(parseJson(rawBody));
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

/** More than any id needs, and less than a database index allows. */
const LONGEST_ID = 200;

const toStorableId = (id: string) => (id.length > LONGEST_ID ? `long-${hashOf(id)}` : id);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
