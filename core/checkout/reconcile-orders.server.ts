import { and, eq, inArray, lt, ne } from "drizzle-orm";
import { paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY, MINUTE } from "../time.ts";
import { ensureGatewayOrder } from "./ensure-gateway-order.server.ts";
import { GatewayError, type PaymentGateway } from "./payment-gateway.ts";
import { listUnsettledOrders, type PaymentOrder } from "./queries.server.ts";
import { settlePayment } from "./settle-payment.server.ts";

const BATCH = 100;
/** Late authorisations happen for days; after that an order is left to webhooks alone. */
const GIVE_UP_AFTER = 5 * DAY;
const FIRST_LOOK_AFTER = 15 * MINUTE;
const LOOK_AGAIN_AFTER = 10 * MINUTE;

/**
 * Asks the gateway about orders that may have been paid without our hearing of it. At start-up `all` open orders are
 * asked about, whatever their age; later those older than 15 minutes, every 10 minutes.
 */
export async function reconcileOrders(
  ctx: Context,
  input: { all: boolean },
): Promise<{ checked: number; unanswered: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { checked: 0, unanswered: 0 };
  const startedAt = ctx.clock.now();
  const tried = new Set<string>();
  let unanswered = 0;
  for (;;) {
    const orders = await listUnsettledOrders(ctx.db, {
      gateway: gateway.name,
      due: input.all
        ? "all"
        : {
            before: new Date(startedAt.getTime() - FIRST_LOOK_AFTER),
            checkedBefore: new Date(startedAt.getTime() - LOOK_AGAIN_AFTER),
          },
      limit: tried.size + BATCH,
    });
    const fresh = orders.filter((order) => !tried.has(order.id));
    if (fresh.length === 0) break;
    for (const order of fresh) {
      tried.add(order.id);
      if (!(await reconcileOne(ctx, gateway, order))) unanswered++;
    }
  }
  await closeOldOrders(ctx, startedAt);
  if (tried.size > 0) ctx.log.info({ checked: tried.size, unanswered }, "orders reconciled");
  return { checked: tried.size, unanswered };
}

async function reconcileOne(ctx: Context, gateway: PaymentGateway, order: PaymentOrder): Promise<boolean> {
  try {
    const known = order.gatewayOrderId ?? (await findLostOrder(ctx, gateway, order));
    if (known) await settlePayment(ctx, { gatewayOrderId: known });
    await ctx.db
      .update(paymentOrders)
      .set({ checkedAt: ctx.clock.now() })
      .where(eq(paymentOrders.id, order.id));
    return true;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error, orderId: order.id }, "the gateway could not be asked about an order");
    return false;
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

async function closeOldOrders(ctx: Context, now: Date): Promise<void> {
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
        lt(paymentOrders.createdAt, new Date(now.getTime() - GIVE_UP_AFTER)),
        inArray(paymentOrders.purchaseId, finished),
      ),
    );
}
