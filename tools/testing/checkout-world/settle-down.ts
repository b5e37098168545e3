import { and, inArray, isNull } from "drizzle-orm";
import { expireHolds } from "#core/checkout/expire-holds.server.ts";
import { processRefunds } from "#core/payments/process-refunds.server.ts";
import { processWebhookEvents } from "#core/payments/process-webhook-events.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { DAY, HOUR, MINUTE } from "#core/time.ts";
import { paymentOrders } from "#db/tables/payments.ts";
import { Violation } from "./command.ts";
import { receive } from "./gateway-commands.ts";
import type { World } from "./world.ts";

/** The longest pause between two tries of a refund: after it every one is due. */
const PAUSE = 6 * HOUR;
const ROUNDS = 20;

/**
 * What time brings by itself: the gateway answers again, banks end what they have begun, holds end, jobs run, and the
 * reconciler looks at each order a last time. Webhooks that were never delivered stay lost, but for orders that are too
 * old for the reconciler: those the gateway sends until they are taken.
 */
export async function settleDown(world: World): Promise<void> {
  const { shop } = world;
  const system = shop.contextFor({ kind: "system" }, "patient");
  shop.fake.faults.clear();
  shop.fake.holdRefunds(false);
  for (const { refundId, status } of refundsOf(world)) {
    if (status === "pending") shop.fake.finishRefund(refundId);
  }
  // As at a start of the shop.
  await reconcileOrders(system, { all: true });
  shop.clock.advance(16 * MINUTE);
  await expireHolds(system);
  await finishRefunds(world);
  payBackByHand(world);
  await deliverForOldOrders(world);
  shop.clock.advance(5 * DAY);
  await processWebhookEvents(system);
  await reconcileOrders(system, { all: false });
  await finishRefunds(world);
}

const paymentsOf = ({ shop, checkouts }: World) =>
  checkouts.flatMap(({ orderId }) => (orderId ? shop.fake.paymentsOf(orderId) : []));

const refundsOf = (world: World) => paymentsOf(world).flatMap(({ refunds }) => refunds);

async function finishRefunds(world: World): Promise<void> {
  const system = world.shop.contextFor({ kind: "system" }, "patient");
  for (let round = 0; round < ROUNDS; round++) {
    world.shop.clock.advance(PAUSE);
    const { unfinished } = await processRefunds(system);
    if (unfinished === 0) return;
  }
  throw new Violation("a refund is not finished after days of tries");
}

/** A refund that the bank could not carry out is the owner's to make good. */
function payBackByHand(world: World): void {
  const { fake } = world.shop;
  for (const { paymentId, status, refunds } of paymentsOf(world)) {
    if (status === "captured" && refunds.some((refund) => refund.status === "failed")) {
      fake.refundAtGateway(paymentId);
    }
  }
}

async function deliverForOldOrders(world: World): Promise<void> {
  const { shop, checkouts, takenEvents } = world;
  const ids = checkouts.map(({ purchaseId }) => purchaseId);
  const old = await shop.db
    .select({ orderId: paymentOrders.gatewayOrderId })
    .from(paymentOrders)
    .where(and(inArray(paymentOrders.purchaseId, ids), isNull(paymentOrders.nextPollAt)));
  const orderIds = new Set(old.map(({ orderId }) => orderId));
  for (const event of shop.fake.webhooks.events()) {
    if (orderIds.has(event.orderId) && !takenEvents.has(event.id)) await receive(world, event);
  }
}
