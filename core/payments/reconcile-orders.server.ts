import { and, eq, gt, inArray, isNotNull, isNull, ne, or } from "drizzle-orm";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { forEachWithConcurrency } from "../for-each-with-concurrency.ts";
import { MINUTE } from "../time.ts";
import { ensureGatewayOrder } from "./ensure-gateway-order.server.ts";
import { GatewayError, type PaymentGateway } from "./payment-gateway.ts";
import { recordGatewayPoll } from "./payment-records.server.ts";
import { nextPollWithoutEnd, RETRY_AFTER_MS } from "./poll-schedule.ts";
import { isOrderOfGateway, listOrdersDueForPoll } from "./queries.server.ts";
import { settleOrder } from "./settle-order.server.ts";

const BATCH = 100;
const SIDE_BY_SIDE = 4;
/** After so many failures in a row it is the gateway, and not these orders. */
const GIVE_UP_RUN_AFTER = 3;
const RECENT = 30 * MINUTE;

/**
 * Asks the gateway about orders that may have been paid without our hearing of it: those whose next look is due, paid ones
 * too. At start-up `all` open orders are due, whatever their age; after an outage those of the last half hour (`recent`). A gateway that does not answer is not asked on; what
 * is due stays due. An order that it cannot speak about waits, and stands in nobody's way.
 */
export async function reconcileOrders(
  ctx: Context,
  input: { all: boolean; recent?: boolean },
): Promise<{ checked: number; unanswered: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { checked: 0, unanswered: 0 };
  const due = ctx.clock.now();
  if (input.all || input.recent) await makeDue(ctx, gateway, { now: due, ofAnyAge: input.all });
  let checked = 0;
  let unanswered = 0;
  let inARow = 0;
  let after: PaymentOrder | null = null;
  do {
    const orders = await listOrdersDueForPoll(ctx.db, { gateway, due, after, limit: BATCH });
    await forEachWithConcurrency(
      orders,
      SIDE_BY_SIDE,
      async (order) => {
        checked++;
        const answer = await reconcileOne(ctx, gateway, order);
        if (answer !== "answered") unanswered++;
        if (answer === "unavailable") inARow = GIVE_UP_RUN_AFTER;
        else inARow = answer === "failed" ? inARow + 1 : 0;
        return inARow < GIVE_UP_RUN_AFTER;
      },
      (error, order) => ctx.log.error({ err: error, orderId: order.id }, "an order could not be reconciled"),
    );
    after = orders.at(-1) ?? null;
  } while (after && inARow < GIVE_UP_RUN_AFTER);
  await closeOldOrders(ctx, gateway);
  if (checked > 0) ctx.log.info({ checked, unanswered }, "orders reconciled");
  return { checked, unanswered };
}

/** `silent`: the gateway gave no answer at all; `failed`: an answer of no use; `refused`: it knows no such order. */
async function reconcileOne(
  ctx: Context,
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<"answered" | "refused" | "failed" | "unavailable"> {
  try {
    const known = order.gatewayOrderId ?? (await findLostOrder(ctx, gateway, order));
    if (known) await settleOrder(ctx, { order: { ...order, gatewayOrderId: known } });
    else await recordGatewayPoll(ctx, ctx.db, order, { settled: false, capturing: false });
    return "answered";
  } catch (error) {
    const now = ctx.clock.now();
    const soon = new Date(now.getTime() + RETRY_AFTER_MS);
    if (!(error instanceof GatewayError)) {
      await postpone(ctx, order, soon);
      throw error;
    }
    ctx.log.warn({ err: error, orderId: order.id }, "the gateway could not be asked about an order");
    // Keys of another account, say, may be put right: it is asked about ever more rarely, but for good.
    await postpone(ctx, order, error.retryable ? soon : nextPollWithoutEnd(order.createdAt, now));
    if (!error.retryable) return "refused";
    return error.httpStatus === null ? "unavailable" : "failed";
  }
}

/** Open orders, of any age or of the last half hour, and paid ones of that time: a second payment may have come in it. */
async function makeDue(
  ctx: Context,
  gateway: PaymentGateway,
  input: { now: Date; ofAnyAge: boolean },
): Promise<void> {
  const isOpen = inArray(paymentOrders.state, ["creating", "open"]);
  const isRecent = gt(paymentOrders.createdAt, new Date(input.now.getTime() - RECENT));
  await ctx.db
    .update(paymentOrders)
    .set({ nextPollAt: input.now })
    .where(
      and(
        isOrderOfGateway(gateway),
        input.ofAnyAge
          ? or(isOpen, and(eq(paymentOrders.state, "settled"), isRecent))
          : and(inArray(paymentOrders.state, ["creating", "open", "settled"]), isRecent),
      ),
    );
}

async function postpone(ctx: Context, order: PaymentOrder, nextPollAt: Date): Promise<void> {
  await ctx.db.update(paymentOrders).set({ nextPollAt: nextPollAt }).where(eq(paymentOrders.id, order.id));
}

/** An order whose creation was cut off by a crash: nobody saw its checkout, but the buyer may go on with it. */
async function findLostOrder(
  ctx: Context,
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<string | null> {
  const found = await gateway.findOrderByReceipt(order.receipt);
  return found ? ensureGatewayOrder(ctx, gateway, order, { mayExist: true }) : null;
}

/** Gives up only an order about which the gateway answered when nothing could arrive any more. */
async function closeOldOrders(ctx: Context, gateway: PaymentGateway): Promise<void> {
  const finished = ctx.db
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(ne(userPurchases.status, "pending"));
  await ctx.db
    .update(paymentOrders)
    .set({ state: "closed" })
    .where(
      and(
        inArray(paymentOrders.state, ["creating", "open"]),
        isOrderOfGateway(gateway),
        isNull(paymentOrders.nextPollAt),
        isNotNull(paymentOrders.polledAt),
        inArray(paymentOrders.purchaseId, finished),
      ),
    );
}
