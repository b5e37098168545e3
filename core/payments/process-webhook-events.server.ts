import { and, asc, eq, inArray, isNull, notInArray, sql } from "drizzle-orm";
import { paymentAttempts, paymentOrders, webhookEvents } from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { forEachWithConcurrency } from "../for-each-with-concurrency.ts";
import { GatewayError } from "./payment-gateway.ts";
import { pollRefundsOfPayments } from "./process-refunds.server.ts";
import { settleOrder } from "./settle-order.server.ts";

const BATCH = 50;
const SIDE_BY_SIDE = 4;

/** Events that say no more than that a payment was made. */
const OF_PAYING = ["payment.authorized", "payment.captured", "order.paid"];

/** Events after which a refund of ours may be final. */
const OF_REFUNDS = ["refund.processed", "refund.failed"];

/**
 * Works off the inbox. What an event says is never believed: each one only makes us ask the gateway about its order,
 * unless it tells of a payment that is accounted for. One about a refund makes us ask about that refund too. Events of one order are handled together. One that cannot be
 * handled now stays for the next run; one the gateway will not speak about is put away, and the reconciler looks after
 * its order.
 */
export async function processWebhookEvents(ctx: Context): Promise<{ handled: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { handled: 0 };
  let handled = 0;
  const postponed: string[] = [];
  for (;;) {
    const events = await ctx.db
      .select({
        id: webhookEvents.id,
        type: webhookEvents.type,
        paymentId: webhookEvents.gatewayPaymentId,
        // A refund's event may name its payment only.
        orderId: sql<
          string | null
        >`coalesce(${webhookEvents.gatewayOrderId}, ${paymentOrders.gatewayOrderId})`,
        outcome: paymentAttempts.outcome,
      })
      .from(webhookEvents)
      .leftJoin(paymentAttempts, eq(paymentAttempts.gatewayPaymentId, webhookEvents.gatewayPaymentId))
      .leftJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .where(
        and(
          isNull(webhookEvents.processedAt),
          eq(webhookEvents.gateway, gateway.name),
          postponed.length > 0 ? notInArray(webhookEvents.id, postponed) : undefined,
        ),
      )
      .orderBy(asc(webhookEvents.createdAt))
      .limit(BATCH);
    if (events.length === 0) return { handled };
    await forEachWithConcurrency(
      [...byOrder(events)],
      SIDE_BY_SIDE,
      async ([orderId, group]) => {
        const ids = group.map(({ id }) => id);
        await pollRefundsOfPayments(ctx, refundedPaymentsOf(group));
        const problem = orderId === null ? null : await trySettle(ctx, orderId);
        const handledAt = problem?.passing ? null : ctx.clock.now();
        await ctx.db
          .update(webhookEvents)
          .set({ processedAt: handledAt, lastError: problem?.message ?? null })
          .where(inArray(webhookEvents.id, ids));
        if (handledAt) handled += ids.length;
        else postponed.push(...ids);
        return true;
      },
      (error, [orderId, group]) => {
        postponed.push(...group.map(({ id }) => id));
        ctx.log.error({ err: error, gatewayOrderId: orderId }, "events could not be handled");
      },
    );
  }
}

interface StoredEvent {
  id: string;
  type: string;
  paymentId: string | null;
  orderId: string | null;
  outcome: string | null;
}

/** The events that ask about each order; under null those that ask about none. */
function byOrder(events: readonly StoredEvent[]): Map<string | null, StoredEvent[]> {
  const orders = new Map<string | null, StoredEvent[]>();
  for (const event of events) {
    const { type, orderId, outcome } = event;
    const key = outcome !== null && OF_PAYING.includes(type) ? null : orderId;
    orders.set(key, [...(orders.get(key) ?? []), event]);
  }
  return orders;
}

function refundedPaymentsOf(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, paymentId }) => (OF_REFUNDS.includes(type) && paymentId ? paymentId : []));
}

/** `passing`: the same question may be answered later. */
type Problem = { message: string; passing: boolean };

/** @returns null when the order is accounted for, else what went wrong */
async function trySettle(ctx: Context, gatewayOrderId: string): Promise<Problem | null> {
  try {
    await settleOrder(ctx, { gatewayOrderId });
    return null;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error, gatewayOrderId }, "the gateway could not be asked about an event");
    return { message: error.message, passing: error.retryable };
  }
}
