import { and, asc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { prepareStatement, prepareWrite, valueFor, valuesFor } from "#db/prepared-statement.ts";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import type { AuthorisedContext } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { GatewayError, type GatewayOrder, type OrderNotes, type PaymentGateway } from "./payment-gateway.ts";
import { orderTransition } from "./payment-states.ts";

type GatewayId = { gateway: string; gatewayOrderId: string };

export async function findOrder(
  executor: Executor,
  by: { purchaseId: string } | GatewayId,
): Promise<PaymentOrder | null> {
  const condition = "purchaseId" in by ? eq(paymentOrders.purchaseId, by.purchaseId) : hasGatewayId(by);
  const [order] = await executor.select().from(paymentOrders).where(condition);
  return order ?? null;
}

export async function findOrderWithPurchase(
  executor: Executor,
  by: GatewayId,
): Promise<{ order: PaymentOrder; purchase: Purchase } | null> {
  const [found] = await selectOrderWithPurchase(executor, by);
  return found ?? null;
}

const selectOrderWithPurchase = prepareStatement("find-order-with-purchase", (executor) =>
  executor
    .select({ order: paymentOrders, purchase: userPurchases })
    .from(paymentOrders)
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(
      and(
        eq(paymentOrders.gateway, valueFor(paymentOrders.gateway, "gateway")),
        eq(paymentOrders.gatewayOrderId, valueFor(paymentOrders.gatewayOrderId, "gatewayOrderId")),
      ),
    ),
);

function hasGatewayId({ gateway, gatewayOrderId }: GatewayId) {
  return and(eq(paymentOrders.gateway, gateway), eq(paymentOrders.gatewayOrderId, gatewayOrderId));
}

/**
 * Makes sure that a payment order exists at the gateway and that its id there is stored. An order whose response was
 * lost (a crash, a timeout) is found by its receipt. When two requests create one each, the buyer gets the order that was stored
 * first. The other is never shown, so nobody can pay it.
 *
 * @throws GatewayError
 */
export async function ensureGatewayOrder(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  order: PaymentOrder,
  options: { mayExist: boolean; notes?: OrderNotes },
): Promise<string> {
  if (order.gatewayOrderId) return order.gatewayOrderId;
  const existing = options.mayExist ? await gateway.findOrderByReceipt(order.receipt) : null;
  const created = existing ?? (await createOrFindOrder(gateway, order, options.notes));
  const state = orderTransition(order.state, "created-at-gateway") ?? order.state;
  const stored = await storeGatewayOrderId(ctx.db, {
    id: order.id,
    gatewayOrderId: created.gatewayOrderId,
    state,
    updatedAt: ctx.clock.now(),
  });
  if (stored.length === 1) return created.gatewayOrderId;
  const first = await findOrder(ctx.db, { purchaseId: order.purchaseId });
  if (!first?.gatewayOrderId) throw new Error(`order ${order.id} has no id at the gateway`);
  return first.gatewayOrderId;
}

const storeGatewayOrderId = prepareWrite("store-gateway-order-id", paymentOrders, (executor) =>
  executor
    .update(paymentOrders)
    .set(valuesFor(paymentOrders, ["gatewayOrderId", "state", "updatedAt"]))
    .where(and(eq(paymentOrders.id, valueFor(paymentOrders.id, "id")), isNull(paymentOrders.gatewayOrderId)))
    .returning({ id: paymentOrders.id }),
);

async function createOrFindOrder(
  gateway: PaymentGateway,
  order: PaymentOrder,
  notes: OrderNotes | undefined,
): Promise<GatewayOrder> {
  try {
    return await gateway.createOrder({
      receipt: order.receipt,
      amountPaise: order.amountPaise,
      currency: order.currency,
      ...(notes && { notes }),
    });
  } catch (error) {
    // A gateway that requires unique receipts refuses a receipt that has an order already. After a timeout there is no
    // second request, because the buyer is waiting.
    if (!(error instanceof GatewayError) || error.retryable) throw error;
    const found = await gateway.findOrderByReceipt(order.receipt).catch(() => null);
    if (found) return found;
    throw error;
  }
}

/**
 * A payment may be authorised days after its attempt. An older order is not polled: only a webhook reports its
 * payments.
 */
const POLL_UNTIL_AGE = 5 * DAY;
/** Most buyers have confirmed by then. The poll finds the payments of browsers that were closed before. */
export const FIRST_POLL_AFTER_MS = 3 * MINUTE;
/** The interval after a poll to which the gateway did not respond. */
export const RETRY_AFTER_MS = 2 * MINUTE;
const SHORTEST_INTERVAL = 5 * MINUTE;
const LONGEST_INTERVAL = 12 * HOUR;
/**
 * A lost webhook delays a pass by at most this share of the order's age, and an order is polled about 30 times in all.
 */
const INTERVAL_BY_AGE = 1 / 4;

/**
 * The time of the next poll of an order that was polled just now: after 3 minutes, then every 5 minutes until the order
 * is 20 minutes old, then after a quarter of its age, at most 12 hours, and a last time at the end of the five days. A
 * settled order is polled in the same way: a second payment may arrive, or the owner may refund on the gateway's own
 * pages.
 *
 * @returns null when the five days are over
 */
export function nextPollAt(createdAt: Date, now: Date): Date | null {
  const end = createdAt.getTime() + POLL_UNTIL_AGE;
  if (now.getTime() >= end) return null;
  const age = now.getTime() - createdAt.getTime();
  if (age < FIRST_POLL_AFTER_MS) return new Date(createdAt.getTime() + FIRST_POLL_AFTER_MS);
  const interval = Math.min(Math.max(age * INTERVAL_BY_AGE, SHORTEST_INTERVAL), LONGEST_INTERVAL);
  return new Date(Math.min(now.getTime() + interval, end));
}

/** The time of the next poll of an order about which the gateway refuses requests. The polls never end. */
export function nextPollWithoutEnd(createdAt: Date, now: Date): Date {
  return nextPollAt(createdAt, now) ?? new Date(now.getTime() + LONGEST_INTERVAL);
}

/** The orders that a gateway knows. Test mode and live mode of one gateway do not know each other's orders. */
export function isOrderOfGateway(gateway: { name: string; testMode: boolean }): SQL | undefined {
  return and(eq(paymentOrders.gateway, gateway.name), eq(paymentOrders.testMode, gateway.testMode));
}

/** Orders whose next poll is due, oldest first. `after`: the last order of the previous page. */
export async function listOrdersDueForPoll(
  executor: Executor,
  input: {
    gateway: { name: string; testMode: boolean };
    due: Date;
    after: PaymentOrder | null;
    limit: number;
  },
): Promise<PaymentOrder[]> {
  const { due, after } = input;
  return executor
    .select()
    .from(paymentOrders)
    .where(
      and(
        isOrderOfGateway(input.gateway),
        lte(paymentOrders.nextPollAt, due),
        after
          ? or(
              gt(paymentOrders.createdAt, after.createdAt),
              and(eq(paymentOrders.createdAt, after.createdAt), gt(paymentOrders.id, after.id)),
            )
          : undefined,
      ),
    )
    .orderBy(asc(paymentOrders.createdAt), asc(paymentOrders.id))
    .limit(input.limit);
}

/**
 * Records that a response of the gateway about an order arrived, and when to poll the order again.
 *
 * @param found.askAgain `soon`: a payment is about to be captured, and the response to the capture may be lost; `always`: a
 *   payment is undecided, so the polls do not end
 * @returns the order's version: the number of recorded responses, this one included
 */
export async function recordGatewayPoll(
  ctx: Context,
  executor: Executor,
  order: PaymentOrder,
  found: { settled: boolean; askAgain: "soon" | "always" | null },
): Promise<number> {
  const now = ctx.clock.now();
  const regular = (found.askAgain === "always" ? nextPollWithoutEnd : nextPollAt)(order.createdAt, now);
  const pollAt = found.askAgain === "soon" ? new Date(now.getTime() + RETRY_AFTER_MS) : regular;
  const state = found.settled ? orderTransition(order.state, "payment-settled") : null;
  const [updated] = await storeGatewayPoll(executor, {
    id: order.id,
    knownVersion: order.version,
    pollAt,
    now,
    state,
  });
  if (!updated) throw new Error(`order ${order.id} does not exist`);
  return updated.version;
}

const storeGatewayPoll = prepareWrite("store-gateway-poll", paymentOrders, (executor) =>
  executor
    .update(paymentOrders)
    .set({
      polledAt: valueFor(paymentOrders.polledAt, "now"),
      // When another response was recorded since the request, its time of the next poll stays.
      nextPollAt: sql`case when ${paymentOrders.version} = ${valueFor(paymentOrders.version, "knownVersion")}
        then ${valueFor(paymentOrders.nextPollAt, "pollAt")}::timestamptz else ${paymentOrders.nextPollAt} end`,
      version: sql`${paymentOrders.version} + 1`,
      state: sql`coalesce(${valueFor(paymentOrders.state, "state")}, ${paymentOrders.state})`,
      updatedAt: valueFor(paymentOrders.updatedAt, "now"),
    })
    .where(eq(paymentOrders.id, valueFor(paymentOrders.id, "id")))
    .returning({ version: paymentOrders.version }),
);

/** Polls an order again whose polls have ended. */
export async function resumePolls(ctx: AuthorisedContext, { id }: PaymentOrder): Promise<void> {
  const soon = new Date(ctx.clock.now().getTime() + RETRY_AFTER_MS);
  await ctx.db
    .update(paymentOrders)
    .set({ nextPollAt: soon })
    .where(and(eq(paymentOrders.id, id), isNull(paymentOrders.nextPollAt)));
  changed(ctx.db, paymentOrders);
}

/**
 * Postpones the next poll of an order with a payment that cannot be stored. The intervals grow, but the polls never
 * end.
 */
export async function postponeInvalidPayment(ctx: AuthorisedContext, order: PaymentOrder): Promise<void> {
  await ctx.db
    .update(paymentOrders)
    .set({
      nextPollAt: nextPollWithoutEnd(order.createdAt, ctx.clock.now()),
      version: sql`${paymentOrders.version} + 1`,
    })
    .where(eq(paymentOrders.id, order.id));
  changed(ctx.db, paymentOrders);
}
