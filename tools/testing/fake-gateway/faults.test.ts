import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, orderAt } from "./ask.ts";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const order = (receipt: string) =>
  ask(gateway, "POST /v1/orders", { amount: 14_900, currency: "INR", receipt });

test("a cut before the work leaves nothing, one after it leaves the order", async () => {
  gateway.faults.add({ match: "create-order", what: "drop-before", times: 1 });
  gateway.faults.add({ match: "create-order", what: "drop-after", times: 1 });
  await expect(order("before")).rejects.toThrow();
  await expect(order("after")).rejects.toThrow();
  expect((await order("whole")).status).toBe(200);
  expect(["before", "after", "whole"].map((receipt) => gateway.ordersOf(receipt).length)).toEqual([0, 1, 1]);
  expect(gateway.faults.count("create-order")).toBe(3);
});

test("a status answers without the work, unless told that it comes after it", async () => {
  gateway.faults.add({ match: "any", what: "status", status: 429, times: 1 });
  gateway.faults.add({ match: "any", what: "status", status: 502, after: true, times: 1 });
  expect((await order("a")).status).toBe(429);
  expect((await order("b")).status).toBe(502);
  expect([gateway.ordersOf("a").length, gateway.ordersOf("b").length]).toEqual([0, 1]);
});

test("garbage is a success nobody can read", async () => {
  gateway.faults.add({ match: "create-order", what: "garbage" });
  await expect(order("a")).rejects.toThrow(SyntaxError);
  expect(gateway.ordersOf("a")).toHaveLength(1);
});

test("a rule fits a name, or a method and a path with stars", async () => {
  const orderId = await orderAt(gateway);
  gateway.faults.add({ match: "GET /v1/orders/*/payments", what: "status", status: 500 });
  expect((await ask(gateway, `GET /v1/orders/${orderId}`)).status).toBe(200);
  expect((await ask(gateway, `GET /v1/orders/${orderId}/payments`)).status).toBe(500);
  gateway.faults.clear();
  expect((await ask(gateway, `GET /v1/orders/${orderId}/payments`)).status).toBe(200);
});

test("at a gate a request waits, before its work or after it", async () => {
  gateway.faults.add({ match: "create-order", what: "gate", gate: "before", times: 1 });
  gateway.faults.add({ match: "create-order", what: "gate", gate: "after", after: true });
  const [first, second] = [order("a"), order("b")];
  await gateway.faults.waitFor("create-order", { until: "worked" });
  expect(gateway.totals().orders).toBe(1);
  gateway.faults.release("before");
  gateway.faults.release("after");
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test("what waits at a gate is done even when the one who asked has hung up", async () => {
  gateway.faults.add({ match: "create-order", what: "gate", gate: "slow" });
  const hungUp = fetch(`${gateway.url}/v1/orders`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${gateway.keyId}:${gateway.keySecret}`)}` },
    body: JSON.stringify({ amount: 100, currency: "INR", receipt: "late" }),
    signal: AbortSignal.timeout(50),
  });
  await expect(hungUp).rejects.toThrow();
  gateway.faults.release("slow");
  await order("next");
  expect(gateway.ordersOf("late")).toHaveLength(1);
});

test("waiting for a request that does not come ends with an error", async () => {
  await expect(gateway.faults.waitFor("capture", { timeoutMs: 20 })).rejects.toThrow("no request 'capture'");
});
