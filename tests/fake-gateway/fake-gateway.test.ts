import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";
import { createOrder, requestApi } from "./request-api.ts";

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const refused = (description: string) => ({
  status: 400,
  body: { error: { code: "BAD_REQUEST_ERROR", description } },
});

async function paid(amount = 14_900) {
  const orderId = await createOrder(gateway, amount);
  return { orderId, paymentId: gateway.pay(orderId).razorpay_payment_id };
}

test("the orders of the fake gateway are listed by receipt in pages, newest first", async () => {
  const ids = [
    await createOrder(gateway, 100),
    await createOrder(gateway, 200),
    await createOrder(gateway, 300),
  ];
  await createOrder(gateway, 400, "another");
  const { body } = await requestApi(gateway, "GET /v1/orders?receipt=r-1&count=2&skip=1");
  expect(body).toMatchObject({ entity: "collection", count: 2, items: [{ id: ids[1] }, { id: ids[0] }] });
  expect((await requestApi(gateway, "GET /v1/orders?receipt=none")).body).toMatchObject({
    count: 0,
    items: [],
  });
  expect(gateway.ordersOf("r-1")).toEqual(ids);
});

test("the payments of the fake gateway pay an order once after a declined attempt", async () => {
  const orderId = await createOrder(gateway);
  gateway.fail(orderId);
  expect((await requestApi(gateway, `GET /v1/orders/${orderId}`)).body).toMatchObject({
    status: "attempted",
    attempts: 1,
  });
  gateway.pay(orderId);
  expect(() => gateway.pay(orderId)).toThrow("already paid");
  const { body } = await requestApi(gateway, `GET /v1/orders/${orderId}/payments`);
  expect(body).toMatchObject({ items: [{ status: "captured", captured: true }, { status: "failed" }] });
  expect((await requestApi(gateway, `GET /v1/orders/${orderId}`)).body).toMatchObject({
    status: "paid",
    amount_paid: 14_900,
    amount_due: 0,
  });
});

test("a payment of the fake gateway that is authorised late is captured once and for the whole amount", async () => {
  const orderId = await createOrder(gateway);
  const { paymentId } = gateway.startPayment(orderId);
  const capture = (amount: number) =>
    requestApi(gateway, `POST /v1/payments/${paymentId}/capture`, { amount, currency: "INR" });
  expect((await capture(14_900)).status).toBe(400);
  gateway.failNow(paymentId);
  gateway.authorizeNow(paymentId);
  expect((await capture(14_800)).status).toBe(400);
  expect(await capture(14_900)).toMatchObject({ status: 200, body: { status: "captured" } });
  expect(gateway.paymentsOf(orderId)).toMatchObject([{ captured: true, capturedBy: "api" }]);
  expect(await capture(14_900)).toMatchObject(refused("This payment has already been captured"));
});

test("a payment of the fake gateway is returned, not captured, when a paid order is authorised a second time", async () => {
  const { orderId } = await paid();
  const second = gateway.authorize(orderId).razorpay_payment_id;
  const amount = { amount: 14_900, currency: "INR" };
  expect((await requestApi(gateway, `POST /v1/payments/${second}/capture`, amount)).status).toBe(400);
  gateway.returnUncaptured(second);
  const { body } = await requestApi(gateway, `GET /v1/payments/${second}`);
  expect(body).toMatchObject({ status: "refunded", captured: false, amount_refunded: 14_900 });
  expect(gateway.totals()).toMatchObject({ capturedPaise: 14_900, refundedPaise: 0 });
});

test("a payment of the fake gateway is recorded also when a paid order is captured again with another amount", async () => {
  const { orderId } = await paid();
  gateway.payAgain(orderId, { amountPaise: 100, currency: "USD" });
  expect(gateway.capturedPayments()).toMatchObject([
    { orderId, amountPaise: 14_900, currency: "INR" },
    { orderId, amountPaise: 100, currency: "USD" },
  ]);
  expect(gateway.totals()).toMatchObject({ payments: { captured: 2 }, capturedPaise: 15_000 });
});

test("a refund of the fake gateway names who made it: the shop, or its owner on the gateway's pages", async () => {
  const { paymentId } = await paid();
  const refund = (amount: number) => requestApi(gateway, `POST /v1/payments/${paymentId}/refund`, { amount });
  expect((await refund(10_000)).status).toBe(200);
  gateway.refundAtGateway(paymentId);
  expect((await refund(100)).status).toBe(400);
  expect(gateway.capturedPayments()).toMatchObject([
    {
      status: "refunded",
      refundedPaise: 14_900,
      refunds: [
        { amountPaise: 10_000, by: "api", status: "processed" },
        { amountPaise: 4_900, by: "dashboard" },
      ],
    },
  ]);
});

test("a refund of the fake gateway stays pending when held, and returns the money to the shop when it fails", async () => {
  gateway.holdRefunds(true);
  const { paymentId } = await paid();
  const { refundId } = gateway.refundAtGateway(paymentId);
  expect((await requestApi(gateway, `GET /v1/refunds/${refundId}`)).body).toMatchObject({
    status: "pending",
  });
  expect(gateway.totals()).toMatchObject({ refundedPaise: 14_900, pendingRefunds: 1 });
  gateway.failRefund(refundId);
  expect((await requestApi(gateway, `GET /v1/refunds/${refundId}`)).body).toMatchObject({
    status: "failed",
  });
  const payment = await requestApi(gateway, `GET /v1/payments/${paymentId}`);
  expect(payment.body).toMatchObject({ status: "captured", amount_refunded: 0, refund_status: null });
  const again = gateway.refundAtGateway(paymentId);
  gateway.finishRefund(again.refundId);
  expect(gateway.totals()).toMatchObject({ refundedPaise: 14_900, pendingRefunds: 0 });
});

test("the page of the fake checkout pays its order", async () => {
  const orderId = await createOrder(gateway);
  const page = await fetch(`${gateway.url}/v1/checkout/public?key_id=${gateway.keyId}&order_id=${orderId}`);
  expect(await page.text()).toContain("INR 149.00");
  const choose = async (choice: string) =>
    (
      await fetch(`${gateway.url}/checkout/${choice}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ order_id: orderId }),
      })
    ).json();
  expect(await choose("fail")).toMatchObject({ error: { metadata: { order_id: orderId } } });
  const callback = await choose("pay");
  expect(callback).toMatchObject({ razorpay_order_id: orderId });
  expect(gateway.paymentsOf(orderId)).toMatchObject([
    { status: "failed" },
    { paymentId: callback.razorpay_payment_id, capturedBy: "gateway" },
  ]);
});
