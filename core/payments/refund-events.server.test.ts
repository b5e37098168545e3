import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentAttempts, refunds, webhookEvents } from "#db/tables/payments.ts";
import { receiveWebhook } from "#tests/checkout-model/gateway-commands.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { HOUR, MINUTE } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { pollRefundsOfPayments, processRefunds } from "./process-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { processWebhookEvents } from "./webhook-events.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

type Bought = Awaited<ReturnType<typeof buyInLiveMode>>;

/** A refund that is pending at the bank and was polled several times. */
async function refundAtBank() {
  const bought = await buyInLiveMode(shop, "retry");
  shop.fake.holdRefunds(true);
  await cancelPurchase(bought.model.admin, {
    purchaseId: bought.purchaseId,
    reason: "Broken",
    refund: true,
  });
  await processRefunds(bought.model.system);
  for (let tries = 0; tries < 3; tries++) {
    shop.clock.advance(HOUR);
    await processRefunds(bought.model.system);
  }
  shop.fake.holdRefunds(false);
  const [refund] = shop.fake.paymentsOf(bought.gatewayOrderId)[0]?.refunds ?? [];
  if (!refund) throw new Error("the gateway has no refund");
  return { ...bought, refundId: refund.refundId };
}

async function statusOf({ paymentId }: Bought) {
  const [row] = await shop.db
    .select({ status: refunds.status })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
  return row?.status;
}

/** Receives the gateway's webhooks of one type about the order. */
async function deliver({ model, gatewayOrderId }: Bought, type: string): Promise<void> {
  const events = shop.fake.webhooks
    .events()
    .filter((event) => event.orderId === gatewayOrderId && event.type === type);
  for (const event of events) await receiveWebhook(model, event);
  expect(events).toHaveLength(1);
}

test.each([
  ["refund.processed", "processed"],
  ["refund.failed", "failed"],
] as const)("the event %s brings a refund to its end at once, not at its own next try", async (type, end) => {
  const bought = await refundAtBank();
  expect(await statusOf(bought)).toBe("processing");
  if (end === "processed") shop.fake.finishRefund(bought.refundId);
  else shop.fake.failRefund(bought.refundId);
  await deliver(bought, type);
  await Promise.all([processWebhookEvents(bought.model.system), processWebhookEvents(bought.model.system)]);
  expect(await statusOf(bought)).toBe(end);
});

test("an event about a refund makes the shop poll the refund, and only the gateway's answer counts", async () => {
  const bought = await refundAtBank();
  await shop.db.insert(webhookEvents).values({
    gateway: "razorpay",
    eventId: `early-${bought.refundId}`,
    type: "refund.processed",
    payload: "{}",
    gatewayOrderId: bought.gatewayOrderId,
    gatewayPaymentId: bought.paymentId,
  });
  await processWebhookEvents(bought.model.system);
  expect(await statusOf(bought)).toBe("processing");
  shop.fake.finishRefund(bought.refundId);
  await pollRefundsOfPayments(bought.model.system, [bought.paymentId]);
  expect(await statusOf(bought)).toBe("processed");
});

test("polling refunds refuses every actor but the system", async () => {
  const { model, buyer, paymentId } = await refundAtBank();
  await expect(pollRefundsOfPayments(buyer.ctx, [paymentId])).rejects.toMatchObject({ code: "forbidden" });
  await expect(pollRefundsOfPayments(model.admin, [paymentId])).rejects.toMatchObject({ code: "forbidden" });
});

test("an unreported second payment and an unreported refund by the owner are found within minutes", async () => {
  const again = await buyInLiveMode(shop, "retry");
  const given = await buyInLiveMode(shop, "retry");
  shop.clock.advance(10 * MINUTE);
  await reconcileOrders(again.model.system, { all: false });
  shop.fake.payAgain(again.gatewayOrderId);
  shop.fake.refundAtGateway(given.paymentId);
  shop.clock.advance(5 * MINUTE);
  await reconcileOrders(again.model.system, { all: false });
  await processRefunds(again.model.system);
  // One payment of the first is kept; its second payment and the payment of the other were refunded.
  expect(await again.earned()).toBe(14_900);
  expect(await given.hasPass()).toBe(false);
  expect(await again.hasPass()).toBe(true);
});
