import { uuidv7 } from "uuidv7";
import { prepareStatement, valuesFor } from "#db/prepared-statement.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";

/**
 * Checks a webhook's signature over its raw body and stores the event. A job processes it after the response, also when
 * the process is killed in between. A repeated event changes nothing.
 *
 * @throws DomainError payments-not-set-up, payment-not-verified (wrong signature)
 */
export async function receiveWebhookEvent(
  ctx: Context,
  input: { rawBody: string; signature: string; eventId: string | null },
): Promise<void> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) throw new DomainError("payments-not-set-up");
  const event = gateway.parseWebhook(input);
  if (!event) throw new DomainError("payment-not-verified");
  await insertEvent(ctx.db, {
    id: uuidv7(),
    gateway: gateway.name,
    eventId: event.eventId,
    type: event.type,
    // Postgres stores no NUL in a text.
    payload: input.rawBody.replaceAll("\0", "\uFFFD"),
    gatewayOrderId: event.orderId,
    gatewayPaymentId: event.paymentId,
    createdAt: ctx.clock.now(),
  });
  ctx.ports.jobs.triggerSoon("process-webhook-events");
}

const insertEvent = prepareStatement((executor) =>
  executor
    .insert(webhookEvents)
    .values({
      ...valuesFor(webhookEvents, ["id", "gateway", "eventId", "type", "payload", "createdAt"]),
      ...valuesFor(webhookEvents, ["gatewayOrderId", "gatewayPaymentId"]),
    })
    .onConflictDoNothing(),
);
