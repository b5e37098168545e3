import { webhookEvents } from "#db/tables/payments.ts";
import { changed } from "#db/transaction.ts";
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
  await ctx.db
    .insert(webhookEvents)
    .values({
      gateway: gateway.name,
      eventId: event.eventId,
      type: event.type,
      // Postgres stores no NUL in a text.
      payload: input.rawBody.replaceAll("\0", "\uFFFD"),
      gatewayOrderId: event.orderId,
      gatewayPaymentId: event.paymentId,
      createdAt: ctx.clock.now(),
    })
    .onConflictDoNothing();
  changed(ctx.db, webhookEvents);
  ctx.ports.jobs.triggerSoon("process-webhook-events");
}
