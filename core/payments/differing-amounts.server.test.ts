import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mailMessages } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { createScarceModel } from "#tests/checkout-model/model.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { refreshCheckoutStatus } from "../checkout/checkout-status.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { forgetFigures, readFigures } from "../reports/figures.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
beforeEach(() => shop.fake.faults.clear());
afterAll(() => shop.close());

const FEE = { buyerFeePaise: 116 };
const OFFER = { offerPaise: 490 };

/** A buyer with an open checkout of ₹49, and what the shop has recorded of it. */
async function checkedOut() {
  const { model, buyer, tool } = await createScarceModel(shop);
  const started = await startPaidCheckout(buyer.ctx, { slug: tool.slug, option: "7 Days", coupon: null });
  const { gatewayOrderId, purchaseId } = started;
  const before = await revenuePaise();
  return {
    model,
    gatewayOrderId,
    purchaseId,
    settle: async () => (await settleOrder(model.system, { gatewayOrderId })).result,
    status: async () => (await refreshCheckoutStatus(buyer.ctx, { purchaseId })).state,
    poll: () => reconcileOrders(model.system, { all: false }),
    attempt: async () => (await attemptsOf(gatewayOrderId))[0],
    refunds: () => refundsOf(gatewayOrderId),
    cancel: (refund: boolean) => cancelPurchase(model.admin, { purchaseId, reason: "test", refund }),
    order: async () => {
      const isOrder = eq(paymentOrders.gatewayOrderId, gatewayOrderId);
      return (await shop.db.select().from(paymentOrders).where(isOrder))[0];
    },
    mails: async () => {
      const address = `${buyer.userId}@example.com`;
      const rows = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, address));
      return rows.map(({ kind }) => kind);
    },
    earnedPaise: async () => (await revenuePaise()) - before,
    counts: async () => {
      shop.clock.advance(6 * MINUTE);
      return (await auditLedger(model.system)).counts;
    },
  };
}

async function revenuePaise(): Promise<number> {
  const ctx = shop.contextFor({ kind: "system" });
  forgetFigures(ctx);
  const { revenuePaise: total, days } = await readFigures(ctx);
  // The sum of all and the sums of the days are read by different queries.
  expect(days.reduce((sum, day) => sum + day.revenuePaise, 0)).toBe(total);
  return total;
}

const attemptsOf = async (gatewayOrderId: string) =>
  (
    await shop.db
      .select({ attempt: paymentAttempts })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .where(eq(paymentOrders.gatewayOrderId, gatewayOrderId))
      .orderBy(paymentAttempts.id)
  ).map(({ attempt }) => attempt);

const refundsOf = (gatewayOrderId: string) =>
  shop.db
    .select({ reason: refunds.reason, amountPaise: refunds.amountPaise, status: refunds.status })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(eq(paymentOrders.gatewayOrderId, gatewayOrderId));

const requestsOfOrder = () => shop.fake.faults.count("order");

test("an order of ₹49 that is paid with ₹50.16 becomes a pass, and the fee is no revenue", async () => {
  const checkout = await checkedOut();
  const asked = requestsOfOrder();
  shop.fake.pay(checkout.gatewayOrderId, FEE);
  expect(await checkout.settle()).toBe("pass");
  expect(await checkout.attempt()).toMatchObject({
    outcome: "pass",
    amountPaise: 5_016,
    buyerFeePaise: 116,
  });
  expect(await checkout.earnedPaise()).toBe(4_900);
  expect(await checkout.counts()).toEqual({});
  expect(requestsOfOrder()).toBe(asked);
});

test("a refund of a payment with the fee on top gives price and fee back, and leaves no revenue", async () => {
  const checkout = await checkedOut();
  const { razorpay_payment_id: paymentId } = shop.fake.pay(checkout.gatewayOrderId, FEE);
  await checkout.settle();
  expect(await checkout.cancel(true)).toMatchObject({ refundedPaise: 5_016 });
  await processRefunds(checkout.model.system);
  expect(await checkout.refunds()).toMatchObject([{ amountPaise: 5_016, status: "processed" }]);
  expect(shop.fake.paymentsOf(checkout.gatewayOrderId)).toMatchObject([
    { paymentId, refundedPaise: 5_016, status: "refunded" },
  ]);
  expect(await checkout.earnedPaise()).toBe(0);
  expect(await checkout.counts()).toEqual({});
});

test("the revenue after a partial refund of a payment with the fee on top is the price less it, and never below zero", async () => {
  const checkout = await checkedOut();
  const { razorpay_payment_id: paymentId } = shop.fake.pay(checkout.gatewayOrderId, FEE);
  await checkout.settle();
  shop.fake.refundAtGateway(paymentId, 1_000);
  await checkout.settle();
  expect(await checkout.earnedPaise()).toBe(3_900);
  // More than the price and less than what was paid.
  shop.fake.refundAtGateway(paymentId, 3_916);
  await checkout.settle();
  expect(await checkout.earnedPaise()).toBe(0);
  expect(await checkout.status()).toBe("success");
  shop.fake.refundAtGateway(paymentId);
  await checkout.settle();
  expect(await checkout.attempt()).toMatchObject({ outcome: "refund" });
  expect(await checkout.earnedPaise()).toBe(0);
  expect(await checkout.counts()).toEqual({});
});

test("the remainder after the owner's partial refund of a payment with the fee on top is refunded by a cancellation", async () => {
  const checkout = await checkedOut();
  const { razorpay_payment_id: paymentId } = shop.fake.pay(checkout.gatewayOrderId, FEE);
  await checkout.settle();
  shop.fake.refundAtGateway(paymentId, 2_000);
  await checkout.settle();
  expect(await checkout.cancel(true)).toMatchObject({ refundedPaise: 3_016 });
  await processRefunds(checkout.model.system);
  expect(shop.fake.paymentsOf(checkout.gatewayOrderId)).toMatchObject([{ refundedPaise: 5_016 }]);
  expect(await checkout.earnedPaise()).toBe(0);
});

test("a second payment of an order is refunded with its fee", async () => {
  const checkout = await checkedOut();
  shop.fake.pay(checkout.gatewayOrderId, FEE);
  shop.fake.payAgain(checkout.gatewayOrderId, FEE);
  expect(await checkout.settle()).toBe("pass");
  expect(await checkout.refunds()).toMatchObject([{ reason: "duplicate-payment", amountPaise: 5_016 }]);
  await processRefunds(checkout.model.system);
  expect(await checkout.earnedPaise()).toBe(4_900);
});

test("an authorised payment whose fee is known is captured with the amount of the order", async () => {
  const checkout = await checkedOut();
  shop.fake.authorize(checkout.gatewayOrderId, { ...FEE, reportsFeeEarly: true });
  expect(await checkout.settle()).toBe("pass");
  expect(shop.fake.paymentsOf(checkout.gatewayOrderId)).toMatchObject([{ capturedBy: "api" }]);
  expect(await checkout.attempt()).toMatchObject({
    outcome: "pass",
    amountPaise: 5_016,
    buyerFeePaise: 116,
  });
});

test("nothing is decided while the fee of a payment is not reported, and the capture at the gateway makes the pass", async () => {
  const checkout = await checkedOut();
  const { razorpay_payment_id: paymentId } = shop.fake.authorize(checkout.gatewayOrderId, FEE);
  expect(await checkout.settle()).toBe("waiting");
  expect(await checkout.attempt()).toMatchObject({ status: "authorized", uncapturedReason: null });
  expect(await checkout.mails()).toEqual([]);
  shop.fake.captureNow(paymentId);
  shop.clock.advance(6 * MINUTE);
  await checkout.poll();
  expect(await checkout.attempt()).toMatchObject({ outcome: "pass", buyerFeePaise: 116 });
  expect(await checkout.earnedPaise()).toBe(4_900);
});

test("an authorised payment whose fee is another one is left uncaptured", async () => {
  const checkout = await checkedOut();
  shop.fake.authorize(checkout.gatewayOrderId, { amountPaise: 6_000, ...FEE, reportsFeeEarly: true });
  await checkout.settle();
  expect(await checkout.attempt()).toMatchObject({ uncapturedReason: "amount-mismatch" });
});

test("an order of ₹49 that is paid with ₹44.10 becomes a pass when the gateway counts it as paid", async () => {
  const checkout = await checkedOut();
  const asked = requestsOfOrder();
  shop.fake.pay(checkout.gatewayOrderId, OFFER);
  expect(await checkout.settle()).toBe("pass");
  expect(await checkout.attempt()).toMatchObject({ outcome: "pass", amountPaise: 4_410, buyerFeePaise: 0 });
  expect(await checkout.earnedPaise()).toBe(4_410);
  expect(await checkout.counts()).toEqual({});
  // The balance of a settled payment is not read again.
  await checkout.settle();
  expect(requestsOfOrder()).toBe(asked + 1);
});

test("a refund of a payment with an offer gives back what was paid", async () => {
  const checkout = await checkedOut();
  shop.fake.pay(checkout.gatewayOrderId, OFFER);
  await checkout.settle();
  expect(await checkout.cancel(true)).toMatchObject({ refundedPaise: 4_410 });
  await processRefunds(checkout.model.system);
  expect(await checkout.earnedPaise()).toBe(0);
  expect(await checkout.counts()).toEqual({});
});

test("nothing is decided about a payment with an offer before its capture, because only then is the order paid", async () => {
  const checkout = await checkedOut();
  const { razorpay_payment_id: paymentId } = shop.fake.authorize(checkout.gatewayOrderId, OFFER);
  expect(await checkout.settle()).toBe("waiting");
  expect(await checkout.attempt()).toMatchObject({ status: "authorized", uncapturedReason: null });
  shop.fake.captureNow(paymentId);
  expect(await checkout.settle()).toBe("pass");
});

test("a payment beside one with an offer becomes a pass while the gateway does not tell whether the order is paid", async () => {
  const checkout = await checkedOut();
  shop.fake.authorize(checkout.gatewayOrderId, OFFER);
  shop.fake.payAgain(checkout.gatewayOrderId);
  shop.fake.faults.add({ what: "status", status: 503, match: "order" });
  await expect(checkout.settle()).rejects.toMatchObject({ retryable: true });
  expect(await checkout.status()).toBe("success");
  shop.fake.faults.clear();
  await checkout.settle();
  expect(await attemptsOf(checkout.gatewayOrderId)).toMatchObject([
    { outcome: "pass", amountPaise: 4_900 },
    { uncapturedReason: expect.any(String), amountPaise: 4_410 },
  ]);
});

test("a payment with an offer waits while the gateway does not tell whether the order is paid", async () => {
  const checkout = await checkedOut();
  shop.fake.pay(checkout.gatewayOrderId, OFFER);
  shop.fake.faults.add({ what: "status", status: 503, match: "order" });
  await expect(checkout.settle()).rejects.toMatchObject({ retryable: true });
  expect(await checkout.attempt()).toBeUndefined();
  shop.fake.faults.clear();
  shop.clock.advance(4 * MINUTE);
  await checkout.poll();
  expect(await checkout.attempt()).toMatchObject({ outcome: "pass" });
});

describe("any other amount", () => {
  const wrong = [
    ["₹1", { amountPaise: 100 }],
    ["15 % less", { amountPaise: 4_165 }],
    ["1 paisa less", { amountPaise: 4_899 }],
    ["1 paisa more", { amountPaise: 4_901 }],
    ["1 paisa more than price and fee", { amountPaise: 5_017, ...FEE }],
    ["the price in another currency", { currency: "USD" }],
    ["price and fee in another currency", { currency: "USD", ...FEE }],
    ["an offer in another currency", { currency: "USD", ...OFFER }],
  ] as const;
  test.each(wrong)("a payment of %s is refunded in full", async (_, overrides) => {
    const checkout = await checkedOut();
    shop.fake.pay(checkout.gatewayOrderId, overrides);
    expect(await checkout.settle()).toBe("refunded");
    await processRefunds(checkout.model.system);
    const [payment] = shop.fake.paymentsOf(checkout.gatewayOrderId);
    expect(await checkout.refunds()).toEqual([
      { reason: "amount-mismatch", amountPaise: payment?.amountPaise, status: "processed" },
    ]);
    expect(await checkout.earnedPaise()).toBe(0);
    expect(await checkout.counts()).toEqual({});
  });
});

test("an undecided payment is left uncaptured after two days, with a mail, and the order is polled until then", async () => {
  const checkout = await checkedOut();
  shop.fake.authorize(checkout.gatewayOrderId, FEE);
  await checkout.settle();
  for (let hours = 0; hours < 47; hours++) {
    shop.clock.advance(HOUR);
    await checkout.poll();
  }
  expect(await checkout.attempt()).toMatchObject({ status: "authorized", uncapturedReason: null });
  shop.clock.advance(DAY);
  await checkout.poll();
  expect(await checkout.attempt()).toMatchObject({ uncapturedReason: "amount-mismatch" });
  expect(await checkout.mails()).toEqual(["payment-not-taken"]);
  // The owner captures it by hand all the same.
  const [payment] = shop.fake.paymentsOf(checkout.gatewayOrderId);
  shop.fake.captureNow(payment?.paymentId ?? "");
  expect(await checkout.settle()).toBe("pass");
});

test("an undecided payment that arrives after the five days of polls keeps its order polled", async () => {
  const checkout = await checkedOut();
  shop.clock.advance(6 * DAY);
  await checkout.poll();
  expect(await checkout.order()).toMatchObject({ nextPollAt: null });
  const { razorpay_payment_id: paymentId } = shop.fake.authorize(checkout.gatewayOrderId, OFFER);
  expect(await checkout.settle()).toBe("waiting");
  shop.fake.captureNow(paymentId);
  shop.clock.advance(13 * HOUR);
  await checkout.poll();
  expect(await checkout.attempt()).toMatchObject({ outcome: "pass" });
  expect(await checkout.order()).toMatchObject({ nextPollAt: null });
});

test("an undecided payment that could not become a pass in any case is left uncaptured at once", async () => {
  const checkout = await checkedOut();
  shop.fake.pay(checkout.gatewayOrderId);
  await checkout.settle();
  shop.fake.authorize(checkout.gatewayOrderId, FEE);
  await checkout.settle();
  expect(await attemptsOf(checkout.gatewayOrderId)).toMatchObject([
    { outcome: "pass" },
    { status: "authorized", uncapturedReason: "duplicate-payment" },
  ]);
});

test("an undecided payment that the gateway returns by itself is not asked about any more", async () => {
  const checkout = await checkedOut();
  const { razorpay_payment_id: paymentId } = shop.fake.authorize(checkout.gatewayOrderId, OFFER);
  await checkout.settle();
  shop.fake.returnUncaptured(paymentId);
  shop.clock.advance(6 * DAY);
  await checkout.poll();
  expect(await checkout.attempt()).toMatchObject({ status: "failed", outcome: null });
  expect(await checkout.order()).toMatchObject({ nextPollAt: null });
});

test("only one of 60 settlements of an undecided payment at once makes the pass, and the fee counts once", async () => {
  const checkout = await checkedOut();
  shop.fake.authorize(checkout.gatewayOrderId, { ...FEE, reportsFeeEarly: true });
  shop.fake.payAgain(checkout.gatewayOrderId, OFFER);
  await Promise.allSettled(Array.from({ length: 60 }, () => checkout.settle()));
  await checkout.settle();
  await processRefunds(checkout.model.system);
  const kept = (await attemptsOf(checkout.gatewayOrderId)).filter(({ outcome }) => outcome === "pass");
  expect(kept).toHaveLength(1);
  expect(await checkout.earnedPaise()).toBe((kept[0]?.amountPaise ?? 0) - (kept[0]?.buyerFeePaise ?? 0));
  expect(await checkout.counts()).toEqual({});
});
