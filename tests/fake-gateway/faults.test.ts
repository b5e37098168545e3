import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";
import { createOrder, requestApi } from "./request-api.ts";

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const order = (receipt: string) =>
  requestApi(gateway, "POST /v1/orders", { amount: 14_900, currency: "INR", receipt });

test("a connection cut before processing leaves no order, one cut after processing leaves the order", async () => {
  gateway.faults.add({ match: "create-order", what: "drop-before", times: 1 });
  gateway.faults.add({ match: "create-order", what: "drop-after", times: 1 });
  await expect(order("before")).rejects.toThrow();
  await expect(order("after")).rejects.toThrow();
  expect((await order("whole")).status).toBe(200);
  expect(["before", "after", "whole"].map((receipt) => gateway.ordersOf(receipt).length)).toEqual([0, 1, 1]);
  expect(gateway.faults.count("create-order")).toBe(3);
});

test("a status fault responds without processing the request, unless it applies after processing", async () => {
  gateway.faults.add({ match: "any", what: "status", status: 429, times: 1 });
  gateway.faults.add({ match: "any", what: "status", status: 502, after: true, times: 1 });
  expect((await order("a")).status).toBe(429);
  expect((await order("b")).status).toBe(502);
  expect([gateway.ordersOf("a").length, gateway.ordersOf("b").length]).toEqual([0, 1]);
});

test("a garbage fault processes the request and responds with an unreadable body", async () => {
  gateway.faults.add({ match: "create-order", what: "garbage" });
  await expect(order("a")).rejects.toThrow(SyntaxError);
  expect(gateway.ordersOf("a")).toHaveLength(1);
});

test("a rule matches a request name, or a method and a path with wildcards", async () => {
  const orderId = await createOrder(gateway);
  gateway.faults.add({ match: "GET /v1/orders/*/payments", what: "status", status: 500 });
  expect((await requestApi(gateway, `GET /v1/orders/${orderId}`)).status).toBe(200);
  expect((await requestApi(gateway, `GET /v1/orders/${orderId}/payments`)).status).toBe(500);
  gateway.faults.clear();
  expect((await requestApi(gateway, `GET /v1/orders/${orderId}/payments`)).status).toBe(200);
});

test("a request waits at a gate before or after it is processed", async () => {
  gateway.faults.add({ match: "create-order", what: "gate", gate: "before", times: 1 });
  gateway.faults.add({ match: "create-order", what: "gate", gate: "after", after: true });
  const [first, second] = [order("a"), order("b")];
  await gateway.faults.waitFor("create-order", { until: "processed" });
  expect(gateway.totals().orders).toBe(1);
  gateway.faults.release("before");
  gateway.faults.release("after");
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test("a refund is refused as a conflict while a request with the same key is in progress", async () => {
  const { razorpay_payment_id: paymentId } = gateway.pay(await createOrder(gateway));
  gateway.faults.add({ match: "refund", what: "gate", gate: "slow" });
  const key = { "x-refund-idempotency": "refund-0001" };
  const refund = () => requestApi(gateway, `POST /v1/payments/${paymentId}/refund`, { amount: 100 }, key);
  const first = refund();
  await gateway.faults.waitFor("refund");
  expect((await refund()).status).toBe(409);
  gateway.faults.release("slow");
  expect(await refund()).toEqual(await first);
});

test("a request at a gate is processed even when its client has disconnected", async () => {
  gateway.faults.add({ match: "create-order", what: "gate", gate: "slow" });
  const hungUp = fetch(`${gateway.url}/v1/orders`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${gateway.keyId}:${gateway.keySecret}`)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ amount: 100, currency: "INR", receipt: "late" }),
    signal: AbortSignal.timeout(50),
  });
  await expect(hungUp).rejects.toThrow();
  gateway.faults.release("slow");
  await order("next");
  expect(gateway.ordersOf("late")).toHaveLength(1);
});

test("waiting for a request that does not arrive ends with an error", async () => {
  await expect(gateway.faults.waitFor("capture", { timeoutMs: 20 })).rejects.toThrow("no request 'capture'");
});
