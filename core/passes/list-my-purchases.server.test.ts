import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import type { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { addDays } from "../time.ts";
import { getMyPurchase, listMyPurchases } from "./list-my-purchases.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

type Buyer = Awaited<ReturnType<SandboxShop["user"]>>;

/** Inserts a purchase without any operation. @returns its id */
async function addPurchase(buyer: Buyer, facts: Partial<typeof userPurchases.$inferInsert> = {}) {
  const id = uuidv7();
  await shop.pass(buyer, { id, toolName: "Canva", ...facts });
  return id;
}

test("a paid order has its price, discount, payment and time of access, and its receipt the same", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool({ name: "Canva", availableStock: 5 });
  const { code } = await shop.coupon(tool.id);
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  const { purchases, ...facts } = await listMyPurchases(buyer, {});
  expect(facts).toEqual({ page: 1, pages: 1, total: 1 });
  const now = shop.clock.now();
  expect(purchases).toMatchObject([
    {
      toolName: "Canva",
      status: "active",
      source: "checkout",
      testMode: true,
      couponCode: code,
      listPricePaise: 14_900,
      discountPaise: 2_980,
      amountPaise: 11_920,
      validityDays: 30,
      startsAt: now,
      accessEndsAt: addDays(now, 30),
      refunds: [],
      payments: [
        {
          gateway: "sandbox",
          method: expect.any(String),
          amountPaise: 11_920,
          paidAt: expect.any(Date),
          gatewayPaymentId: expect.stringMatching(/^pay_/),
        },
      ],
    },
  ]);
  expect(await getMyPurchase(buyer, { purchaseId: purchases[0]?.id ?? "" })).toEqual(purchases[0]);
});

test("two payments of one order are listed once each, with every refund", async () => {
  const buyer = await shop.user();
  const id = await addPurchase(buyer);
  const [orderId, first, second] = [uuidv7(), uuidv7(), uuidv7()];
  const at = shop.clock.now();
  await shop.db.insert(paymentOrders).values({
    id: orderId,
    purchaseId: id,
    gateway: "sandbox",
    gatewayOrderId: `order_${orderId}`,
    receipt: id,
    amountPaise: 14_900,
    currency: "INR",
    testMode: true,
    state: "settled",
  });
  const captured = { orderId, status: "captured" as const, amountPaise: 14_900, capturedAt: at };
  await shop.db.insert(paymentAttempts).values([
    { ...captured, id: first, gatewayPaymentId: "pay_first", outcome: "pass", refundedPaise: 100 },
    { ...captured, id: second, gatewayPaymentId: "pay_second", outcome: "refund" },
    { ...captured, status: "failed", capturedAt: null, gatewayPaymentId: "pay_declined" },
  ]);
  const refund = { attemptId: second, reason: "duplicate-payment", amountPaise: 7_450 };
  await shop.db.insert(refunds).values([
    { ...refund, status: "processed", idempotencyKey: uuidv7() },
    { ...refund, status: "requested", idempotencyKey: uuidv7() },
  ]);
  const order = await getMyPurchase(buyer, { purchaseId: id });
  expect(order.payments.map(({ gatewayPaymentId }) => gatewayPaymentId)).toEqual(["pay_first", "pay_second"]);
  expect(order.refunds.map(({ status, amountPaise }) => [status, amountPaise])).toEqual([
    ["processed", 100],
    ["processed", 7_450],
    ["requested", 7_450],
  ]);
  expect(order).toMatchObject({ status: "active", declined: null });
});

test("an order without a payment tells why the last payment attempt was declined", async () => {
  const buyer = await shop.user();
  const failedIn = async (...reasons: Array<string | null>) => {
    const id = await addPurchase(buyer, { status: "failed", startsAt: null, expiresAt: null });
    const orderId = uuidv7();
    await shop.db.insert(paymentOrders).values({
      id: orderId,
      purchaseId: id,
      gateway: "sandbox",
      gatewayOrderId: `order_${orderId}`,
      receipt: id,
      amountPaise: 14_900,
      currency: "INR",
      testMode: true,
      state: "open",
    });
    for (const errorDescription of reasons) {
      const gatewayPaymentId = `pay_${uuidv7()}`;
      const attempt = { orderId, gatewayPaymentId, status: "failed" as const, amountPaise: 14_900 };
      await shop.db.insert(paymentAttempts).values({ ...attempt, errorDescription });
    }
    return (await getMyPurchase(buyer, { purchaseId: id })).declined;
  };
  const poor = "Your account does not have enough balance.";
  expect(await failedIn("The bank did not answer.", poor)).toBe(poor);
  expect(await failedIn(null)).toBe("The payment was declined.");
  expect(await failedIn()).toBeNull();
});

test("the orders are newest first, ten on a page, and a page after the last one is the last", async () => {
  const buyer = await shop.user();
  const created = (n: number) => ({ createdAt: addDays(shop.clock.now(), -n), toolName: `Tool ${n}` });
  for (let n = 0; n < 12; n++) await addPurchase(buyer, created(n));
  const names = async (page: unknown) => {
    const list = await listMyPurchases(buyer, { page });
    expect(list).toMatchObject({ total: 12, pages: 2 });
    return list.purchases.map(({ toolName }) => toolName);
  };
  const first = Array.from({ length: 10 }, (_, n) => `Tool ${n}`);
  expect(await names("1")).toEqual(first);
  expect(await names("2")).toEqual(["Tool 10", "Tool 11"]);
  expect(await names("99")).toEqual(["Tool 10", "Tool 11"]);
  for (const page of [undefined, "", "-1", "two", "1e9"]) expect(await names(page)).toEqual(first);
});

test("an unpaid and an ended order are listed, and one that an admin has deleted is not", async () => {
  const buyer = await shop.user();
  const now = shop.clock.now();
  const untimed = { startsAt: null, expiresAt: null };
  await addPurchase(buyer, { toolName: "Left", status: "failed", ...untimed });
  await addPurchase(buyer, { toolName: "Cancelled", endedAt: now, endedReason: "cancelled" });
  const deleted = await addPurchase(buyer, { endedAt: now, endedReason: "deleted" });
  const { purchases, total } = await listMyPurchases(buyer, {});
  expect(total).toBe(2);
  expect(new Map(purchases.map(({ toolName, status }) => [toolName, status]))).toEqual(
    new Map([
      ["Cancelled", "cancelled"],
      ["Left", "not-paid"],
    ]),
  );
  await expect(getMyPurchase(buyer, { purchaseId: deleted })).rejects.toMatchObject({
    code: "purchase-not-found",
  });
});

test("a buyer without orders has one empty page", async () => {
  expect(await listMyPurchases(await shop.user(), { page: "3" })).toEqual({
    purchases: [],
    page: 1,
    pages: 1,
    total: 0,
  });
});

test("nobody reads the orders of somebody else, an admin included", async () => {
  const purchaseId = await addPurchase(await shop.user());
  for (const other of [await shop.user(), await shop.user("admin")]) {
    expect(await listMyPurchases(other, {})).toMatchObject({ total: 0 });
    await expect(getMyPurchase(other, { purchaseId })).rejects.toMatchObject({ code: "purchase-not-found" });
  }
  for (const other of [shop.visitor(), shop.system()]) {
    await expect(listMyPurchases(other, {})).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(getMyPurchase(other, { purchaseId })).rejects.toMatchObject({ code: "unauthenticated" });
  }
  const buyer = await shop.user();
  await expect(getMyPurchase(buyer, { purchaseId: uuidv7() })).rejects.toMatchObject({
    code: "purchase-not-found",
  });
  await expect(getMyPurchase(buyer, { purchaseId: "none" })).rejects.toMatchObject({ code: "invalid-input" });
});
