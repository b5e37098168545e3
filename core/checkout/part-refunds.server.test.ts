import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { refunds } from "#db/tables/payments.ts";
import { createWorld, inTurn } from "../../tools/testing/checkout-world/world.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { type FakeShop, startFakeShop } from "../../tools/testing/fake-shop.ts";
import { startToPay } from "../../tools/testing/start-to-pay.ts";
import { findActivePass } from "../entitlements/find-active-pass.server.ts";
import { readDashboardStatistics } from "../reports/read-dashboard-statistics.server.ts";
import { watchMoney } from "../reports/watch-money.server.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { carryOutRefunds } from "./carry-out-refunds.server.ts";
import { handleGatewayEvents } from "./handle-gateway-events.server.ts";
import { receiveGatewayEvent } from "./receive-gateway-event.server.ts";
import { settlePayment } from "./settle-payment.server.ts";

let shop: FakeShop;
beforeAll(async () => {
  shop = await startFakeShop(await freshDatabase());
});
afterAll(() => shop.close());

/** A pass for ₹149 paid in live mode; what the shop earns is told from that moment on. */
async function bought() {
  const world = await createWorld(shop, { stocks: [1], coupon: { percent: 20, limit: 1 }, buyers: 1 });
  const [buyer, tool] = [inTurn(world.buyers, 0), inTurn(world.tools, 0)];
  const before = await earned(world);
  const { orderId, purchaseId } = await startToPay(buyer.ctx, { slug: tool.slug, option: "30 Days" });
  const paymentId = shop.fake.pay(orderId).razorpay_payment_id;
  const settle = () => settlePayment(world.system, { gatewayOrderId: orderId });
  await settle();
  return {
    ...{ world, buyer, orderId, purchaseId, paymentId, settle },
    earned: async () => (await earned(world)) - before,
    hasPass: async () =>
      (await findActivePass(buyer.ctx, shop.db, { userId: buyer.userId, toolId: tool.id })) !== null,
    refunds: () => shop.fake.paymentsOf(orderId)[0]?.refunds.map(({ amountPaise, by }) => [by, amountPaise]),
  };
}

async function earned({ admin }: Awaited<ReturnType<typeof createWorld>>): Promise<number> {
  return (await readDashboardStatistics(admin)).totalRevenue;
}

test("a part paid back on the gateway's pages leaves the pass, is not earned, and is in the audit log", async () => {
  const { world, purchaseId, paymentId, earned, hasPass } = await bought();
  expect(await earned()).toBe(14_900);
  shop.fake.refundAtGateway(paymentId, 5_000);
  // Its webhook, sent twice, is all that tells of it.
  for (const { id, type, rawBody, signature } of shop.fake.webhooks.events()) {
    if (!type.startsWith("refund.")) continue;
    await receiveGatewayEvent(world.system, { rawBody, signature, eventId: id });
    await receiveGatewayEvent(world.system, { rawBody, signature, eventId: `${id}-again` });
  }
  await handleGatewayEvents(world.system);
  expect(await earned()).toBe(9_900);
  expect(await hasPass()).toBe(true);
  const events = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, purchaseId));
  const told = events.filter(({ action }) => action === "payment.part-refunded");
  expect(told.map(({ details }) => details)).toEqual([
    { paymentId, amountPaise: 14_900, refundedPaise: 5_000 },
  ]);
  expect((await watchMoney(world.system)).counts).toEqual({});
});

test("a part that the bank could not pay back is earned again", async () => {
  const { paymentId, settle, earned } = await bought();
  shop.fake.holdRefunds(true);
  const { refundId } = shop.fake.refundAtGateway(paymentId, 5_000);
  shop.fake.holdRefunds(false);
  await settle();
  expect(await earned()).toBe(9_900);
  shop.fake.failRefund(refundId);
  await settle();
  expect(await earned()).toBe(14_900);
});

test("cancelled after a part went back, the buyer gets the rest and is told how much that is", async () => {
  const { world, buyer, purchaseId, paymentId, settle, earned, hasPass, refunds: sent } = await bought();
  shop.fake.refundAtGateway(paymentId, 5_000);
  await settle();
  const cancelled = await cancelPurchase(world.admin, { purchaseId, reason: "Broken", payBack: true });
  expect(cancelled).toEqual({ paidBack: 9_900 });
  await carryOutRefunds(world.system);
  expect(await sent()).toEqual([
    ["dashboard", 5_000],
    ["api", 9_900],
  ]);
  expect(await earned()).toBe(0);
  expect(await hasPass()).toBe(false);
  const [mail] = await shop.db
    .select()
    .from(mailMessages)
    .where(eq(mailMessages.recipient, `${buyer.userId}@example.com`));
  expect(mail?.text).toContain('"amountPaise":9900');
  expect((await watchMoney(world.system)).counts).toEqual({});
});

test("the second part ends the pass, as then all of it is back", async () => {
  const { paymentId, settle, earned, hasPass } = await bought();
  shop.fake.refundAtGateway(paymentId, 5_000);
  await settle();
  shop.fake.refundAtGateway(paymentId);
  await settle();
  expect(await earned()).toBe(0);
  expect(await hasPass()).toBe(false);
  expect(await shop.db.$count(refunds, eq(refunds.status, "requested"))).toBe(0);
});
