import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentOrders } from "#db/tables/payments.ts";
import { buyLive } from "../../tools/testing/buy-live.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { type FakeShop, startFakeShop } from "../../tools/testing/fake-shop.ts";
import { watchMoney } from "../reports/watch-money.server.ts";
import { DAY, HOUR } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { carryOutRefunds } from "./carry-out-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";

let shop: FakeShop;
beforeAll(async () => {
  shop = await startFakeShop(await freshDatabase());
});
afterAll(() => shop.close());

type Bought = Awaited<ReturnType<typeof buyLive>>;

async function cancel({ world, purchaseId }: Bought): Promise<void> {
  await cancelPurchase(world.admin, { purchaseId, reason: "Broken", payBack: true });
  await carryOutRefunds(world.system);
}

/** A refund that stays with the bank until it is told to fail. */
async function waiting<Result>(make: () => Promise<Result> | Result): Promise<Result> {
  shop.fake.holdRefunds(true);
  const made = await make();
  shop.fake.holdRefunds(false);
  return made;
}

function waitingOurs({ orderId }: Bought): string {
  const [payment] = shop.fake.paymentsOf(orderId);
  const ours = payment?.refunds.find(({ by, status }) => by === "api" && status === "pending");
  if (!ours) throw new Error("nothing of ours waits");
  return ours.refundId;
}

async function expectAllBack(bought: Bought): Promise<void> {
  await bought.settle();
  shop.clock.advance(7 * HOUR);
  await carryOutRefunds(bought.world.system);
  await bought.settle();
  expect(bought.paidBack()).toBe(14_900);
  expect(await bought.earned()).toBe(0);
  shop.clock.advance(2 * DAY);
  expect((await watchMoney(bought.world.system)).counts).toEqual({});
}

test("a part paid back by hand fails after the rest was sent: it is sent as well", async () => {
  const bought = await buyLive(shop);
  const { refundId } = await waiting(() => shop.fake.refundAtGateway(bought.paymentId, 5_000));
  await bought.settle();
  await cancel(bought);
  shop.fake.failRefund(refundId);
  await bought.settle();
  expect(bought.paidBack()).toBe(9_900);
  await carryOutRefunds(bought.world.system);
  await expectAllBack(bought);
});

test("a part paid back by hand fails while the rest waits at the bank: it is sent once the rest is through", async () => {
  const bought = await buyLive(shop);
  const part = await waiting(() => shop.fake.refundAtGateway(bought.paymentId, 5_000));
  await bought.settle();
  await waiting(() => cancel(bought));
  shop.fake.failRefund(part.refundId);
  await bought.settle();
  shop.fake.finishRefund(waitingOurs(bought));
  shop.clock.advance(HOUR);
  // As of the day on which the reconciler leaves an order alone.
  await shop.db.update(paymentOrders).set({ nextCheckAt: null });
  await carryOutRefunds(bought.world.system);
  expect(bought.paidBack()).toBe(9_900);
  await reconcileOrders(bought.world.system, { all: false });
  await carryOutRefunds(bought.world.system);
  expect(bought.paidBack()).toBe(14_900);
  await expectAllBack(bought);
});

test("ours fails, the owner pays by hand, and that fails too: it is sent again", async () => {
  const bought = await buyLive(shop);
  await waiting(() => cancel(bought));
  shop.fake.failRefund(waitingOurs(bought));
  shop.clock.advance(HOUR);
  await carryOutRefunds(bought.world.system);
  expect((await watchMoney(bought.world.system)).counts).toMatchObject({ "refund-failed": 1 });
  const { refundId } = await waiting(() => shop.fake.refundAtGateway(bought.paymentId));
  await bought.settle();
  shop.fake.failRefund(refundId);
  await bought.settle();
  await carryOutRefunds(bought.world.system);
  await expectAllBack(bought);
});

test("ours fails while an answer that speaks of it as done is still on its way: it is not believed", async () => {
  const bought = await buyLive(shop);
  await waiting(() => cancel(bought));
  shop.fake.faults.add({ match: "order-payments", what: "gate", gate: "old", after: true, times: 1 });
  const old = bought.settle();
  await shop.fake.faults.waitFor("order-payments", { until: "worked" });
  shop.fake.failRefund(waitingOurs(bought));
  await bought.settle();
  shop.clock.advance(HOUR);
  await carryOutRefunds(bought.world.system);
  shop.fake.faults.release("old");
  await old;
  expect((await watchMoney(bought.world.system)).counts).toMatchObject({ "refund-failed": 1 });
  expect(await bought.earned()).toBe(14_900);
  shop.fake.refundAtGateway(bought.paymentId);
  await expectAllBack(bought);
});

test("after ours failed, a part that the owner pays by hand is not earned any more", async () => {
  const bought = await buyLive(shop);
  await waiting(() => cancel(bought));
  shop.fake.failRefund(waitingOurs(bought));
  shop.clock.advance(HOUR);
  await carryOutRefunds(bought.world.system);
  shop.fake.refundAtGateway(bought.paymentId, 10_000);
  await bought.settle();
  expect(await bought.earned()).toBe(4_900);
  shop.fake.refundAtGateway(bought.paymentId);
  await expectAllBack(bought);
});
