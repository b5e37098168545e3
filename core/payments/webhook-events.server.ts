import { and, asc, eq, inArray, isNull, notInArray, type SQL, sql } from "drizzle-orm";
import { users } from "#db/tables/accounts.ts";
import { paymentAttempts, paymentOrders, webhookEvents } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { type AuthorisedContext, requireSystem } from "../authorise.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { fetchAndRecordDispute } from "./disputes.server.ts";
import { GatewayError } from "./payment-gateway.ts";
import { pollRefundsOfPayments } from "./process-refunds.server.ts";
import { settleOrder } from "./settle-order.server.ts";

/**
 * Checks a webhook's signature over its raw bytes and stores the event. A job processes it after the response, also when
 * the process is killed in between. A repeated event changes nothing.
 *
 * @throws DomainError payments-not-set-up, payment-not-verified (wrong signature)
 */
export async function receiveWebhookEvent(
  ctx: Context,
  input: { rawBody: string | Uint8Array; signature: string; eventId: string | null },
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
      payload: textOf(input.rawBody).replaceAll("\0", "\uFFFD"),
      gatewayOrderId: event.gatewayOrderId,
      gatewayPaymentId: event.gatewayPaymentId,
      gatewayDisputeId: event.gatewayDisputeId,
      createdAt: ctx.clock.now(),
    })
    .onConflictDoNothing();
  changed(ctx.db, webhookEvents);
  ctx.ports.jobs.triggerSoon("process-webhook-events");
}

/** Without a byte-order mark. Bytes that are no UTF-8 are replaced. */
const textOf = (body: string | Uint8Array) =>
  typeof body === "string" ? body : new TextDecoder().decode(body);

const BATCH = 50;
const CONCURRENCY = 4;

/** Events that only report that a payment was made. */
const PAYMENT_EVENTS = ["payment.authorized", "payment.captured", "order.paid"];

/** Events after which a refund may be final. */
const REFUND_EVENTS = ["refund.processed", "refund.failed"];

/**
 * Processes the stored webhook events. The content of an event is not trusted: an event only makes the shop settle its order,
 * unless it reports a payment that has its outcome already. An event about a refund also makes the shop poll that refund, and
 * one about a dispute makes it fetch the dispute. Events of one order are processed together. An event that cannot be processed
 * now stays for the next run. When the gateway refuses the request about the order, the event counts as processed, and the job
 * `reconcile-orders` polls the order, however old it is.
 */
export async function processWebhookEvents(ctx: Context): Promise<{ processed: number }> {
  requireSystem(ctx);
  let processed = 0;
  const postponed: string[] = [];
  for (;;) {
    const events = await listUnprocessedEvents(ctx, postponed);
    if (events.length === 0) return { processed };
    await forEachWithConcurrency(
      [...Map.groupBy(events, (event) => orderToSettle(event) ?? event.gatewayDisputeId)],
      CONCURRENCY,
      async ([, group]) => {
        const ids = group.map(({ id }) => id);
        await pollRefundsOfPayments(ctx, refundedPaymentsOf(group));
        const problem = await askAboutEvents(ctx, group);
        const processedAt = problem?.retryable ? null : ctx.clock.now();
        await ctx.db
          .update(webhookEvents)
          .set({ processedAt, lastError: problem?.message ?? null, payload: payloadToKeep(group) })
          .where(inArray(webhookEvents.id, ids));
        changed(ctx.db, webhookEvents);
        if (processedAt) processed += ids.length;
        else postponed.push(...ids);
        return true;
      },
      (error, [about, group]) => {
        postponed.push(...group.map(({ id }) => id));
        ctx.log.error({ err: error, about }, "webhook events could not be processed");
      },
    );
  }
}

/** The body of an event; empty when the buyer's account is deleted, because it has the payer's address and phone number. */
function payloadToKeep(events: readonly StoredEvent[]): SQL {
  const orders = [...new Set(events.flatMap(({ gatewayOrderId }) => gatewayOrderId ?? []))];
  return sql`case when exists (
      select 1 from ${paymentOrders}
      join ${userPurchases} on ${userPurchases.id} = ${paymentOrders.purchaseId}
      join ${users} on ${users.id} = ${userPurchases.userId}
      where ${paymentOrders.gatewayOrderId} = any(${sql.param(orders)}::text[]) and ${users.deletedAt} is not null
    ) then '' else ${webhookEvents.payload} end`;
}

interface StoredEvent {
  id: string;
  type: string;
  gatewayPaymentId: string | null;
  gatewayOrderId: string | null;
  gatewayDisputeId: string | null;
  outcome: string | null;
}

async function listUnprocessedEvents(
  ctx: AuthorisedContext,
  except: readonly string[],
): Promise<StoredEvent[]> {
  const { gateway } = ctx.ports;
  if (!gateway) return [];
  // The event of a refund may name its payment only.
  const gatewayOrderId = sql<
    string | null
  >`coalesce(${webhookEvents.gatewayOrderId}, ${paymentOrders.gatewayOrderId})`;
  return ctx.db
    .select({
      id: webhookEvents.id,
      type: webhookEvents.type,
      gatewayPaymentId: webhookEvents.gatewayPaymentId,
      gatewayOrderId,
      gatewayDisputeId: webhookEvents.gatewayDisputeId,
      outcome: paymentAttempts.outcome,
    })
    .from(webhookEvents)
    .leftJoin(paymentAttempts, eq(paymentAttempts.gatewayPaymentId, webhookEvents.gatewayPaymentId))
    .leftJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(
      and(
        isNull(webhookEvents.processedAt),
        eq(webhookEvents.gateway, gateway.name),
        except.length > 0 ? notInArray(webhookEvents.id, [...except]) : undefined,
      ),
    )
    .orderBy(asc(webhookEvents.createdAt))
    .limit(BATCH);
}

/** The order that an event asks to settle; null: none. */
function orderToSettle({ type, gatewayOrderId, outcome }: StoredEvent): string | null {
  return outcome !== null && PAYMENT_EVENTS.includes(type) ? null : gatewayOrderId;
}

function refundedPaymentsOf(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, gatewayPaymentId }) =>
    REFUND_EVENTS.includes(type) && gatewayPaymentId ? gatewayPaymentId : [],
  );
}

/** `retryable`: the gateway may answer later. */
type Problem = { message: string; retryable: boolean };

/**
 * Settles the order that webhook events name, then records their disputes: the payment of a dispute may be new to the shop.
 *
 * @returns null: all of it is done
 */
async function askAboutEvents(
  ctx: AuthorisedContext,
  events: readonly StoredEvent[],
): Promise<Problem | null> {
  const orders = new Set(events.map(orderToSettle));
  const disputes = new Set(events.map(({ gatewayDisputeId }) => gatewayDisputeId));
  const asked = [
    ...[...orders].map((gatewayOrderId) => gatewayOrderId && (() => settleOrder(ctx, { gatewayOrderId }))),
    ...[...disputes].map((id) => id && (() => fetchAndRecordDispute(ctx, id))),
  ];
  let problem: Problem | null = null;
  for (const ask of asked) {
    try {
      if (ask) await ask();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      ctx.log.warn({ err: error }, "the gateway did not answer about webhook events");
      if (!problem?.retryable) problem = { message: error.message, retryable: error.retryable };
    }
  }
  return problem;
}
