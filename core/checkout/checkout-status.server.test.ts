import { and, eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailMessages } from "#db/tables/operations.ts";
import { createScarceModel } from "#tests/checkout-model/model.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { refreshCheckoutStatus } from "./checkout-status.server.ts";
import { cancelCheckout } from "./end-checkout.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

async function checkedOut() {
  const { model, buyer, other, tool } = await createScarceModel(shop);
  const wanted = { slug: tool.slug, option: "30 Days" };
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer.ctx, wanted);
  return {
    model,
    buyer,
    gatewayOrderId,
    purchaseId,
    settle: () => settleOrder(model.system, { gatewayOrderId }),
    /** The checkout is closed and another buyer gets its unit, so that a payment for it is refunded. */
    loseUnit: async () => {
      await cancelCheckout(buyer.ctx, { purchaseId });
      await startPaidCheckout(other.ctx, wanted);
    },
    cancel: (refund: boolean) =>
      cancelPurchase(model.admin, { purchaseId, reason: "Shared the account", refund }),
    status: () => refreshCheckoutStatus(buyer.ctx, { purchaseId }),
    /** Without the receipt. */
    mails: async () => {
      const rows = await shop.db
        .select({ text: mailMessages.text })
        .from(mailMessages)
        .where(
          and(eq(mailMessages.recipient, `${buyer.userId}@example.com`), isNull(mailMessages.purchaseId)),
        )
        .orderBy(mailMessages.id);
      return rows.map(({ text }) => text);
    },
    reasons: async () => {
      const { active, past } = await listMyPasses(buyer.ctx);
      return [...active, ...past].flatMap(({ refunds }) => refunds.map(({ why }) => why));
    },
  };
}

test("the buyer sees after an admin's cancellation with a refund that the shop has cancelled the purchase", async () => {
  const checkout = await checkedOut();
  shop.fake.pay(checkout.gatewayOrderId);
  await checkout.settle();
  await checkout.cancel(true);
  expect(await checkout.status()).toEqual({
    state: "refunded",
    reason: "The shop has cancelled this purchase.",
  });
});

test("the buyer sees after an admin's cancellation without a refund that the purchase is cancelled", async () => {
  const paid = await checkedOut();
  shop.fake.pay(paid.gatewayOrderId);
  await paid.settle();
  await paid.cancel(false);
  expect(await paid.status()).toEqual({ state: "cancelled" });
  const unpaid = await checkedOut();
  await unpaid.cancel(false);
  expect(await unpaid.status()).toEqual({ state: "cancelled" });
});

test("a second payment of a pass is refunded because the buyer had already paid", async () => {
  const checkout = await checkedOut();
  shop.fake.pay(checkout.gatewayOrderId);
  shop.fake.payAgain(checkout.gatewayOrderId);
  await checkout.settle();
  const words = "You had already paid for this purchase.";
  expect(await checkout.status()).toMatchObject({ state: "success" });
  expect(await checkout.reasons()).toEqual([words]);
  expect((await checkout.mails()).map((text) => text.includes(words))).toEqual([true]);
});

test("a second payment of a refunded purchase is refunded because the purchase had already been refunded", async () => {
  const checkout = await checkedOut();
  await checkout.loseUnit();
  shop.fake.pay(checkout.gatewayOrderId);
  await checkout.settle();
  const first = "The tool was sold out when the payment arrived.";
  expect(await checkout.status()).toEqual({ state: "refunded", reason: first });
  shop.fake.payAgain(checkout.gatewayOrderId);
  await checkout.settle();
  const second = "This purchase had already been refunded.";
  expect(await checkout.status()).toEqual({ state: "refunded", reason: second });
  expect(await checkout.reasons()).toEqual([first, second]);
  const mails = await checkout.mails();
  expect([first, second].map((words, index) => mails[index]?.includes(words))).toEqual([true, true]);
});

test("an authorised payment that may still be captured is shown as being confirmed, also after the checkout was closed", async () => {
  const checkout = await checkedOut();
  shop.fake.authorize(checkout.gatewayOrderId);
  shop.fake.faults.add({ match: "capture", what: "status", status: 503 });
  expect(await checkout.status()).toEqual({ state: "confirming" });
  expect(await cancelCheckout(checkout.buyer.ctx, { purchaseId: checkout.purchaseId })).toEqual({
    state: "confirming",
  });
  const { pending } = await listMyPasses(checkout.buyer.ctx);
  expect(pending).toMatchObject([{ paymentSeen: true }]);
  shop.fake.faults.clear();
  await checkout.settle();
  expect(await checkout.status()).toMatchObject({ state: "success" });
});

test("an authorised payment that the gateway returned before its capture is not shown as being confirmed", async () => {
  const checkout = await checkedOut();
  const paymentId = shop.fake.authorize(checkout.gatewayOrderId).razorpay_payment_id;
  shop.fake.faults.add({ match: "capture", what: "status", status: 400 });
  await cancelCheckout(checkout.buyer.ctx, { purchaseId: checkout.purchaseId });
  expect(await checkout.status()).toEqual({ state: "confirming" });
  shop.fake.returnUncaptured(paymentId);
  await checkout.settle();
  shop.fake.faults.clear();
  expect(await checkout.status()).toEqual({ state: "ended" });
  expect((await listMyPasses(checkout.buyer.ctx)).pending).toEqual([]);
});

test("a checkout that is closed while the gateway does not answer is not shown as unpaid", async () => {
  const checkout = await checkedOut();
  const { ctx } = checkout.buyer;
  shop.fake.faults.add({ match: "order-payments", what: "status", status: 503 });
  expect(await cancelCheckout(ctx, { purchaseId: checkout.purchaseId })).toEqual({
    state: "ended",
    unsure: true,
  });
  shop.fake.faults.clear();
  const unpaid = await checkedOut();
  expect(await cancelCheckout(unpaid.buyer.ctx, { purchaseId: unpaid.purchaseId })).toEqual({
    state: "ended",
  });
});
