import { and, eq, gt, inArray, isNotNull, isNull, ne, or } from "drizzle-orm";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { type AuthorisedContext, requireSystem } from "../authorise.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import { MINUTE } from "../time.ts";
import { GatewayError, type PaymentGateway } from "./payment-gateway.ts";
import {
  ensureGatewayOrder,
  isOrderOfGateway,
  listOrdersDueForPoll,
  nextPollWithoutEnd,
  RETRY_AFTER_MS,
  recordGatewayPoll,
} from "./payment-orders.server.ts";
import { ORDER_TABLE, statesChangedBy } from "./payment-states.ts";
import { settleOrder } from "./settle-order.server.ts";

const BATCH = 100;
const CONCURRENCY = 4;
/** After this number of failures in a row the cause is the gateway and not the orders. */
const STOP_AFTER_FAILURES = 3;
const RECENT = 30 * MINUTE;

/** Not given up and not settled. */
const OPEN_STATES = statesChangedBy(ORDER_TABLE, "given-up");

/**
 * Polls the gateway for orders that may have been paid without a report to the shop: those whose next poll is due,
 * settled ones included. At start-up `all` open orders are due, whatever their age; after an outage the orders of the last half
 * hour (`recent`). When the gateway does not answer, the run ends, and the remaining orders stay due. An order about which the
 * gateway refuses the request is postponed and does not delay others.
 */
export async function reconcileOrders(
  ctx: Context,
  input: { all: boolean; recent?: boolean },
): Promise<{ polled: number; unanswered: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { polled: 0, unanswered: 0 };
  const due = ctx.clock.now();
  if (input.all || input.recent) await makeDue(ctx, gateway, { now: due, ofAnyAge: input.all });
  let polled = 0;
  let unanswered = 0;
  let failuresInARow = 0;
  let after: PaymentOrder | null = null;
  do {
    const orders = await listOrdersDueForPoll(ctx.db, { gateway, due, after, limit: BATCH });
    await forEachWithConcurrency(
      orders,
      CONCURRENCY,
      async (order) => {
        polled++;
        const result = await reconcileOrder(ctx, gateway, order);
        if (result !== "answered") unanswered++;
        if (result === "unavailable") failuresInARow = STOP_AFTER_FAILURES;
        else failuresInARow = result === "failed" ? failuresInARow + 1 : 0;
        return failuresInARow < STOP_AFTER_FAILURES;
      },
      (error, order) => ctx.log.error({ err: error, orderId: order.id }, "an order could not be reconciled"),
    );
    after = orders.at(-1) ?? null;
  } while (after && failuresInARow < STOP_AFTER_FAILURES);
  await closeOldOrders(ctx, gateway);
  if (polled > 0) ctx.log.info({ polled, unanswered }, "orders reconciled");
  return { polled, unanswered };
}

/** `unavailable`: the gateway did not answer; `failed`: it answered with a fault; `refused`: it refused the request. */
async function reconcileOrder(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<"answered" | "refused" | "failed" | "unavailable"> {
  try {
    const gatewayOrderId = order.gatewayOrderId ?? (await findLostOrder(ctx, gateway, order));
    if (gatewayOrderId) await settleOrder(ctx, { order: { ...order, gatewayOrderId } });
    else await recordGatewayPoll(ctx, ctx.db, order, { settled: false, askAgain: null });
    return "answered";
  } catch (error) {
    const now = ctx.clock.now();
    const soon = new Date(now.getTime() + RETRY_AFTER_MS);
    if (!(error instanceof GatewayError)) {
      await postpone(ctx, order, soon);
      throw error;
    }
    ctx.log.warn({ err: error, orderId: order.id }, "an order could not be settled");
    // The cause of a refusal, such as wrong keys, may be corrected later: the intervals grow, but the polls never end.
    await postpone(ctx, order, error.retryable ? soon : nextPollWithoutEnd(order.createdAt, now));
    if (!error.retryable) return "refused";
    return error.httpStatus === null ? "unavailable" : "failed";
  }
}

/**
 * Makes orders due: open ones of any age, or only recent ones; and recent settled ones, which may have a second
 * payment.
 */
async function makeDue(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  input: { now: Date; ofAnyAge: boolean },
): Promise<void> {
  const isOpen = inArray(paymentOrders.state, OPEN_STATES);
  const isSettled = eq(paymentOrders.state, "settled");
  const isRecent = gt(paymentOrders.createdAt, new Date(input.now.getTime() - RECENT));
  await ctx.db
    .update(paymentOrders)
    .set({ nextPollAt: input.now })
    .where(
      and(
        isOrderOfGateway(gateway),
        input.ofAnyAge ? or(isOpen, and(isSettled, isRecent)) : and(or(isOpen, isSettled), isRecent),
      ),
    );
  changed(ctx.db, paymentOrders);
}

async function postpone(ctx: AuthorisedContext, order: PaymentOrder, nextPollAt: Date): Promise<void> {
  await ctx.db.update(paymentOrders).set({ nextPollAt }).where(eq(paymentOrders.id, order.id));
  changed(ctx.db, paymentOrders);
}

/**
 * Finds an order at the gateway whose creation a crash interrupted. Nobody has seen it, but the buyer may resume the
 * checkout.
 */
async function findLostOrder(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<string | null> {
  const found = await gateway.findOrderByReceipt(order.receipt);
  return found ? ensureGatewayOrder(ctx, gateway, order, { mayExist: true }) : null;
}

/**
 * Gives up orders whose polls have ended and whose purchase is not pending, but only when the gateway answered about
 * them.
 */
async function closeOldOrders(ctx: AuthorisedContext, gateway: PaymentGateway): Promise<void> {
  const finishedPurchases = ctx.db
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(ne(userPurchases.status, "pending"));
  await ctx.db
    .update(paymentOrders)
    .set({ state: "closed" })
    .where(
      and(
        inArray(paymentOrders.state, OPEN_STATES),
        isOrderOfGateway(gateway),
        isNull(paymentOrders.nextPollAt),
        isNotNull(paymentOrders.polledAt),
        inArray(paymentOrders.purchaseId, finishedPurchases),
      ),
    );
  changed(ctx.db, paymentOrders);
}
