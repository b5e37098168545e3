import { and, inArray, isNull, ne } from "drizzle-orm";
import { paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { fewAtATime } from "../few-at-a-time.ts";
import { ensureGatewayOrder } from "./ensure-gateway-order.server.ts";
import { GatewayError, type PaymentGateway } from "./payment-gateway.ts";
import { noteCheck } from "./payment-records.server.ts";
import { isOrderOf, listOrdersToCheck, type PaymentOrder } from "./queries.server.ts";
import { settlePayment } from "./settle-payment.server.ts";

const BATCH = 100;
const SIDE_BY_SIDE = 4;

/**
 * Asks the gateway about orders that may have been paid without our hearing of it. At start-up `all` open orders are
 * asked about, whatever their age; later those whose next look is due, paid ones too. A gateway that does not answer is
 * not asked on; the next run does.
 */
export async function reconcileOrders(
  ctx: Context,
  input: { all: boolean },
): Promise<{ checked: number; unanswered: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { checked: 0, unanswered: 0 };
  const due = input.all ? "all" : ctx.clock.now();
  let checked = 0;
  let unanswered = 0;
  let silent = false;
  let after: PaymentOrder | null = null;
  do {
    const orders = await listOrdersToCheck(ctx.db, { gateway, due, after, limit: BATCH });
    await fewAtATime(orders, SIDE_BY_SIDE, async (order) => {
      checked++;
      const answer = await reconcileOne(ctx, gateway, order);
      if (answer !== "answered") unanswered++;
      silent ||= answer === "silent";
      return !silent;
    });
    after = orders.at(-1) ?? null;
  } while (after && !silent);
  await closeOldOrders(ctx, gateway);
  if (checked > 0) ctx.log.info({ checked, unanswered }, "orders reconciled");
  return { checked, unanswered };
}

/** `silent`: the gateway gave no answer at all; `refused`: it would not speak about this one order. */
async function reconcileOne(
  ctx: Context,
  gateway: PaymentGateway,
  order: PaymentOrder,
): Promise<"answered" | "refused" | "silent"> {
  try {
    const known = order.gatewayOrderId ?? (await findLostOrder(ctx, gateway, order));
    if (known) await settlePayment(ctx, { order: { ...order, gatewayOrderId: known } });
    else await noteCheck(ctx, ctx.db, order, { settled: false });
    return "answered";
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error, orderId: order.id }, "the gateway could not be asked about an order");
    if (error.retryable) return "silent";
    await noteCheck(ctx, ctx.db, order, { settled: false });
    return "refused";
  }
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
        isOrderOf(gateway),
        isNull(paymentOrders.nextCheckAt),
        inArray(paymentOrders.purchaseId, finished),
      ),
    );
}
