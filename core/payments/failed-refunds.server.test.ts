import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { readPaymentNotices } from "../reports/read-payment-notices.server.ts";
import { DAY, HOUR } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

type Bought = Awaited<ReturnType<typeof buyInLiveMode>>;

async function cancel({ model, purchaseId }: Bought): Promise<void> {
  await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
  await processRefunds(model.system);
}

/** The refunds that `make` creates stay pending at the bank. */
async function withPendingRefunds<Result>(make: () => Promise<Result> | Result): Promise<Result> {
  shop.fake.holdRefunds(true);
  const made = await make();
  shop.fake.holdRefunds(false);
  return made;
}

function pendingRefundOfShop({ gatewayOrderId }: Bought): string {
  const [payment] = shop.fake.paymentsOf(gatewayOrderId);
  const ours = payment?.refunds.find(({ by, status }) => by === "api" && status === "pending");
  if (!ours) throw new Error("the shop has no pending refund");
  return ours.refundId;
}

/** A cancelled pass whose refund failed at the bank. */
async function cancelWithFailedRefund(): Promise<Bought> {
  const bought = await buyInLiveMode(shop, "retry");
  await withPendingRefunds(() => cancel(bought));
  shop.fake.failRefund(pendingRefundOfShop(bought));
  shop.clock.advance(HOUR);
  await processRefunds(bought.model.system);
  return bought;
}

async function expectFullyRefunded(bought: Bought): Promise<void> {
  await bought.settle();
  shop.clock.advance(7 * HOUR);
  await processRefunds(bought.model.system);
  await bought.settle();
  expect(bought.refundedPaise()).toBe(14_900);
  expect(await bought.earned()).toBe(0);
  shop.clock.advance(2 * DAY);
  expect((await auditLedger(bought.model.system)).counts).toEqual({});
}

test("the shop refunds the owner's part when it failed at the bank after the remainder was sent", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  const { refundId } = await withPendingRefunds(() => shop.fake.refundAtGateway(bought.paymentId, 5_000));
  await bought.settle();
  await cancel(bought);
  shop.fake.failRefund(refundId);
  await bought.settle();
  expect(bought.refundedPaise()).toBe(9_900);
  await processRefunds(bought.model.system);
  await expectFullyRefunded(bought);
});

test("the shop refunds the owner's part when it failed at the bank while the remainder was pending", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  const part = await withPendingRefunds(() => shop.fake.refundAtGateway(bought.paymentId, 5_000));
  await bought.settle();
  await withPendingRefunds(() => cancel(bought));
  shop.fake.failRefund(part.refundId);
  await bought.settle();
  shop.fake.finishRefund(pendingRefundOfShop(bought));
  shop.clock.advance(HOUR);
  // As for an order older than five days: no further poll is planned.
  await shop.db.update(paymentOrders).set({ nextPollAt: null });
  await processRefunds(bought.model.system);
  expect(bought.refundedPaise()).toBe(9_900);
  await reconcileOrders(bought.model.system, { all: false });
  await processRefunds(bought.model.system);
  expect(bought.refundedPaise()).toBe(14_900);
  await expectFullyRefunded(bought);
});

test("a failed refund is sent again when the owner's own refund failed as well", async () => {
  const bought = await cancelWithFailedRefund();
  expect((await auditLedger(bought.model.system)).counts).toMatchObject({ "refund-failed": 1 });
  const { refundId } = await withPendingRefunds(() => shop.fake.refundAtGateway(bought.paymentId));
  await bought.settle();
  shop.fake.failRefund(refundId);
  await bought.settle();
  await processRefunds(bought.model.system);
  await expectFullyRefunded(bought);
});

test("a stale response does not complete a refund that has failed", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  await withPendingRefunds(() => cancel(bought));
  const old = await bought.settleSlowly();
  shop.fake.failRefund(pendingRefundOfShop(bought));
  await bought.settle();
  shop.clock.advance(HOUR);
  await processRefunds(bought.model.system);
  await old.arrive();
  expect((await auditLedger(bought.model.system)).counts).toMatchObject({ "refund-failed": 1 });
  expect(await bought.earned()).toBe(14_900);
  shop.fake.refundAtGateway(bought.paymentId);
  await expectFullyRefunded(bought);
});

test("a partial refund by the owner reduces revenue after the shop's refund failed", async () => {
  const bought = await cancelWithFailedRefund();
  shop.fake.refundAtGateway(bought.paymentId, 10_000);
  await bought.settle();
  expect(await bought.earned()).toBe(4_900);
  shop.fake.refundAtGateway(bought.paymentId);
  await expectFullyRefunded(bought);
});

const refundOf = async ({ paymentId }: Bought) => {
  const [row] = await shop.db
    .select({ status: refunds.status, gatewayRefundId: refunds.gatewayRefundId })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
  return row;
};

test("a stale response does not complete a refund that has failed without a webhook", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  shop.clock.advance(6 * DAY);
  await bought.settle();
  await withPendingRefunds(() => cancel(bought));
  const old = await bought.settleSlowly();
  shop.fake.failRefund(pendingRefundOfShop(bought));
  shop.clock.advance(HOUR);
  await processRefunds(bought.model.system);
  await old.arrive();
  expect(await refundOf(bought)).toMatchObject({ status: "failed" });
  expect((await auditLedger(bought.model.system)).counts).toMatchObject({ "refund-failed": 1 });
  shop.fake.refundAtGateway(bought.paymentId);
  await expectFullyRefunded(bought);
});

test("a stale response does not reopen a processed refund", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  const old = await bought.settleSlowly();
  await cancel(bought);
  await old.arrive();
  expect(await refundOf(bought)).toEqual({ status: "processed", gatewayRefundId: expect.any(String) });
  expect(await bought.earned()).toBe(0);
});

test("a stale response does not postpone a poll that is due", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  const part = await withPendingRefunds(() => shop.fake.refundAtGateway(bought.paymentId, 5_000));
  await bought.settle();
  shop.clock.advance(6 * DAY);
  await withPendingRefunds(() => cancel(bought));
  const old = await bought.settleSlowly();
  shop.fake.failRefund(part.refundId);
  shop.fake.finishRefund(pendingRefundOfShop(bought));
  shop.clock.advance(HOUR);
  await processRefunds(bought.model.system);
  await old.arrive();
  await reconcileOrders(bought.model.system, { all: false });
  await processRefunds(bought.model.system);
  expect(bought.refundedPaise()).toBe(14_900);
  await expectFullyRefunded(bought);
});

test("a refund that is sent again days later is not overdue at once", async () => {
  const bought = await buyInLiveMode(shop, "retry");
  const part = await withPendingRefunds(() => shop.fake.refundAtGateway(bought.paymentId, 5_000));
  await bought.settle();
  await cancel(bought);
  shop.clock.advance(3 * DAY);
  shop.fake.failRefund(part.refundId);
  await bought.settle();
  expect((await auditLedger(bought.model.system)).counts).toEqual({});
  await processRefunds(bought.model.system);
  await expectFullyRefunded(bought);
});

test("the admin notice names the amount that is still to be refunded, and the audit ignores a remainder below ₹1", async () => {
  const bought = await cancelWithFailedRefund();
  shop.fake.refundAtGateway(bought.paymentId, 10_000);
  await bought.settle();
  const { failedRefunds } = await readPaymentNotices(bought.model.admin);
  expect(failedRefunds?.refunds.map(({ amountPaise }) => amountPaise)).toEqual([4_900]);
  shop.fake.refundAtGateway(bought.paymentId, 4_850);
  await bought.settle();
  shop.clock.advance(2 * DAY);
  expect((await auditLedger(bought.model.system)).counts).toEqual({});
  expect(await bought.earned()).toBe(50);
});
