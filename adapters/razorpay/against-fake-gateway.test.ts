import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ListedOrder, PaymentGateway } from "#core/payments/payment-gateway.ts";
import { type FakeGateway, startFakeGateway } from "#tests/fake-gateway/fake-gateway.ts";
import type { Fault } from "#tests/fake-gateway/faults.ts";
import { createRazorpayGateway } from "./razorpay-gateway.ts";

let fake: FakeGateway;
let gateway: PaymentGateway;
beforeEach(async () => {
  fake = await startFakeGateway({ webhookSecret: "old-hook" });
  gateway = shopWith({});
});
afterEach(() => fake.close());

function shopWith(options: { timeoutMs?: number; budgetMs?: number; keySecret?: string }): PaymentGateway {
  return createRazorpayGateway({
    apiUrl: fake.url,
    keyId: fake.keyId,
    keySecret: fake.keySecret,
    webhookSecrets: ["new-hook", "old-hook"],
    checkoutScriptUrl: `${fake.url}/v1/checkout.js`,
    name: "razorpay",
    ...options,
  });
}

const newOrder = () => ({ receipt: randomUUID(), amountPaise: 14_900, currency: "INR" });

async function paid() {
  const { gatewayOrderId } = await gateway.createOrder(newOrder());
  return { gatewayOrderId, gatewayPaymentId: fake.pay(gatewayOrderId).razorpay_payment_id };
}
const key = () => `refund-${randomUUID()}`;

/** Faults after which the shop does not know whether the gateway carried out the request. */
const LOST_RESPONSES: [string, Fault][] = [
  ["a cut connection before the request was carried out", { what: "drop-before" }],
  ["a cut connection after the request was carried out", { what: "drop-after" }],
  ["status 503 before the request was carried out", { what: "status", status: 503 }],
  ["status 502 of a proxy after the request was carried out", { what: "status", status: 502, after: true }],
  ["too many requests", { what: "status", status: 429 }],
  ["an unreadable response of success", { what: "garbage" }],
  ["a timeout before the request was carried out", { what: "hang" }],
  ["a timeout after the request was carried out", { what: "hang", after: true }],
];

describe.each(LOST_RESPONSES)("after %s", (_, fault) => {
  beforeEach(() => {
    gateway = shopWith(fault.what === "hang" ? { timeoutMs: 500 } : {});
  });

  test("createOrder leaves one order of the receipt although its response is lost", async () => {
    fake.faults.add({ ...fault, match: "create-order", times: 1 });
    const input = newOrder();
    const order = await gateway.createOrder(input);
    expect(order).toMatchObject({ receipt: input.receipt, amountPaise: 14_900 });
    expect(fake.ordersOf(input.receipt)).toEqual([order.gatewayOrderId]);
  });

  test("capturePayment captures once although its response is lost", async () => {
    const { gatewayOrderId } = await gateway.createOrder(newOrder());
    const gatewayPaymentId = fake.authorize(gatewayOrderId).razorpay_payment_id;
    fake.faults.add({ ...fault, match: "capture", times: 1 });
    const captured = await gateway.capturePayment({ gatewayPaymentId, amountPaise: 14_900, currency: "INR" });
    expect(captured).toMatchObject({ gatewayPaymentId, gatewayOrderId, status: "captured" });
    expect(fake.totals()).toMatchObject({ capturedPaise: 14_900 });
  });

  test("refund refunds once although its response is lost", async () => {
    const { gatewayPaymentId } = await paid();
    fake.faults.add({ ...fault, match: "refund", times: 1 });
    const refund = await gateway.refund({ gatewayPaymentId, amountPaise: 4_900, idempotencyKey: key() });
    expect(fake.capturedPayments()[0]?.refunds).toMatchObject([
      { refundId: refund.gatewayRefundId, amountPaise: 4_900 },
    ]);
  });

  test("fetchOrderPayments returns the payments although the first response is lost", async () => {
    const { gatewayOrderId, gatewayPaymentId } = await paid();
    fake.faults.add({ ...fault, match: "order-payments", times: 1 });
    expect(await gateway.fetchOrderPayments(gatewayOrderId)).toMatchObject([
      { gatewayPaymentId, status: "captured" },
    ]);
  });
});

describe("a gateway that does not answer", () => {
  const gaveUp = { name: "GatewayError", retryable: true, httpStatus: null };

  test("a call to a silent gateway sends no further request once its time budget is used up", async () => {
    const { gatewayOrderId, gatewayPaymentId } = await paid();
    // The time after the first attempt is too short for a pause and a second attempt.
    gateway = shopWith({ timeoutMs: 400, budgetMs: 500 });
    fake.faults.add({ match: "any", what: "hang" });
    const before = fake.faults.count();
    const payment = { gatewayPaymentId, amountPaise: 14_900 };
    const calls = [
      gateway.createOrder(newOrder()),
      gateway.findOrderByReceipt("r"),
      gateway.fetchOrderPayments(gatewayOrderId),
      gateway.capturePayment({ ...payment, currency: "INR" }),
      gateway.refund({ ...payment, idempotencyKey: key() }),
      gateway.fetchRefund({ gatewayRefundId: "rfnd_1" }),
      gateway.listOrders({ since: new Date(), until: null })[Symbol.asyncIterator]().next(),
    ];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(gaveUp)));
    expect(fake.faults.count() - before).toBe(calls.length);
  });

  test("a capture and the lookup after it share one time budget", async () => {
    const { gatewayPaymentId } = await paid();
    gateway = shopWith({ timeoutMs: 1_900, budgetMs: 2_000 });
    fake.faults.add({ match: "capture", what: "delay", ms: 1_000 });
    fake.faults.add({ match: "payment", what: "hang" });
    const input = { gatewayPaymentId, amountPaise: 14_900, currency: "INR" };
    const error: unknown = await gateway.capturePayment(input).catch((why: unknown) => why);
    expect(error).toMatchObject(gaveUp);
    const within = /GET .+ not answered within (\d+) ms/.exec(String(error))?.[1];
    expect(Number(within)).toBeLessThanOrEqual(1_000);
    expect(fake.faults.count("payment")).toBe(1);
  });

  test("an order whose response is lost is requested again only after a search for it", async () => {
    fake.faults.add({ match: "create-order", what: "status", status: 500 });
    fake.faults.add({ match: "list-orders", what: "status", status: 500 });
    await expect(gateway.createOrder(newOrder())).rejects.toMatchObject({ retryable: true, httpStatus: 500 });
    expect(fake.faults.count("create-order")).toBe(1);
    expect(fake.faults.count("list-orders")).toBe(3);
  });
});

test("two requests at once for one receipt create two orders, and the first is found by receipt", async () => {
  const input = newOrder();
  const [one, other] = await Promise.all([gateway.createOrder(input), gateway.createOrder(input)]);
  const first = fake.ordersOf(input.receipt)[0];
  expect([one.gatewayOrderId, other.gatewayOrderId]).toContain(first);
  expect((await gateway.findOrderByReceipt(input.receipt))?.receipt).toBe(input.receipt);
});

test("an order of another amount does not replace the one whose response was lost", async () => {
  const input = newOrder();
  await gateway.createOrder({ ...input, amountPaise: 9_900 });
  fake.faults.add({ match: "create-order", what: "drop-before", times: 1 });
  const order = await gateway.createOrder(input);
  expect(order.amountPaise).toBe(14_900);
  expect(fake.ordersOf(input.receipt)).toHaveLength(2);
});

describe("the orders since a moment", () => {
  async function list(since: Date, until: Date | null = null) {
    const pages: ListedOrder[][] = [];
    for await (const page of gateway.listOrders({ since, until })) pages.push(page);
    return pages;
  }
  const notes = { toolSlug: "canva", buyerId: randomUUID(), validityDays: 30, orderNumber: "K7QM4XTP" };

  test("an order in the list since a moment has what it was created with, and says whether somebody has tried to pay it", async () => {
    const input = newOrder();
    const { gatewayOrderId } = await gateway.createOrder({ ...input, notes });
    const other = await paid();
    const listed = (await list(new Date(Date.now() - 60_000))).flat();
    expect(listed.find((order) => order.gatewayOrderId === gatewayOrderId)).toEqual({
      ...input,
      gatewayOrderId,
      createdAt: expect.any(Date),
      wasTried: false,
      notes,
    });
    expect(listed.find((order) => order.gatewayOrderId === other.gatewayOrderId)).toMatchObject({
      wasTried: true,
      notes: { toolSlug: null, buyerId: null, validityDays: null, orderNumber: null },
    });
    expect(await list(new Date(Date.now() + 60_000))).toEqual([]);
    expect(await list(new Date(0), new Date(Date.now() - 60_000))).toEqual([]);
    expect((await list(new Date(0), new Date(Date.now() + 60_000))).flat()).toHaveLength(2);
  });

  test("more orders than fit into a page are listed in pages of a hundred, each with its own time limit", async () => {
    const since = new Date(Date.now() - 60_000);
    const created = await Promise.all(Array.from({ length: 205 }, () => gateway.createOrder(newOrder())));
    fake.faults.add({ match: "list-orders", what: "status", status: 500, times: 1 });
    const pages = await list(since);
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 5]);
    const ids = new Set(pages.flat().map(({ gatewayOrderId }) => gatewayOrderId));
    expect(ids).toEqual(new Set(created.map(({ gatewayOrderId }) => gatewayOrderId)));
  });
});

test("a payment has the status of the gateway at each step", async () => {
  const { gatewayOrderId } = await gateway.createOrder(newOrder());
  const status = async () =>
    (await gateway.fetchOrderPayments(gatewayOrderId)).map((payment) => payment.status);
  const { paymentId: gatewayPaymentId } = fake.startPayment(gatewayOrderId);
  expect(await status()).toEqual(["created"]);
  fake.failNow(gatewayPaymentId, "The bank did not answer");
  expect(await gateway.fetchOrderPayments(gatewayOrderId)).toMatchObject([
    { status: "failed", errorDescription: "The bank did not answer", refundedPaise: 0 },
  ]);
  fake.authorizeNow(gatewayPaymentId);
  expect(await status()).toEqual(["authorized"]);
  fake.captureNow(gatewayPaymentId);
  expect(await status()).toEqual(["captured"]);
  fake.refundAtGateway(gatewayPaymentId, 4_900);
  expect(await gateway.fetchOrderPayments(gatewayOrderId)).toMatchObject([
    { status: "captured", refundedPaise: 4_900, errorDescription: null },
  ]);
  fake.refundAtGateway(gatewayPaymentId);
  expect(await gateway.fetchOrderPayments(gatewayOrderId)).toMatchObject([
    { status: "refunded", refundedPaise: 14_900 },
  ]);
});

test("an order can have a second payment, one of another amount and one left uncaptured", async () => {
  const { gatewayOrderId } = await paid();
  fake.payAgain(gatewayOrderId, { amountPaise: 100 });
  const second = fake.authorize(gatewayOrderId).razorpay_payment_id;
  const capture = gateway.capturePayment({
    gatewayPaymentId: second,
    amountPaise: 14_900,
    currency: "INR",
  });
  await expect(capture).rejects.toMatchObject({ retryable: false, httpStatus: 400 });
  fake.returnUncaptured(second);
  expect(await gateway.fetchOrderPayments(gatewayOrderId)).toMatchObject([
    { gatewayPaymentId: second, status: "failed", refundedPaise: 0 },
    { status: "captured", amountPaise: 100 },
    { status: "captured", amountPaise: 14_900 },
  ]);
});

test("a pending refund is fetched until it is processed or failed", async () => {
  fake.holdRefunds(true);
  const { gatewayOrderId, gatewayPaymentId } = await paid();
  const refund = (idempotencyKey: string) =>
    gateway.refund({ gatewayPaymentId, amountPaise: 4_900, idempotencyKey });
  const [done, failed] = [await refund(key()), await refund(key())];
  expect(await gateway.fetchRefund(done)).toEqual({ ...done, status: "pending" });
  fake.finishRefund(done.gatewayRefundId);
  fake.failRefund(failed.gatewayRefundId);
  expect((await gateway.fetchRefund(done)).status).toBe("processed");
  expect((await gateway.fetchRefund(failed)).status).toBe("failed");
  expect((await gateway.fetchOrderPayments(gatewayOrderId))[0]?.refundedPaise).toBe(4_900);
  const unknown = gateway.fetchRefund({ gatewayRefundId: "rfnd_unknown" });
  await expect(unknown).rejects.toMatchObject({ retryable: false, httpStatus: 400 });
});

test("two requests with one idempotency key at the same time make one refund", async () => {
  const { gatewayPaymentId } = await paid();
  const input = { gatewayPaymentId, amountPaise: 14_900, idempotencyKey: key() };
  fake.faults.add({ match: "refund", what: "gate", gate: "slow", times: 1 });
  const first = gateway.refund(input);
  await fake.faults.waitFor("refund");
  const second = gateway.refund(input);
  fake.faults.release("slow");
  expect((await second).gatewayRefundId).toBe((await first).gatewayRefundId);
  expect(fake.totals().refundedPaise).toBe(14_900);
});

test("a gateway's refusal for wrong keys is retryable", async () => {
  const { gatewayPaymentId } = await paid();
  gateway = shopWith({ keySecret: "wrong" });
  const refund = gateway.refund({ gatewayPaymentId, amountPaise: 14_900, idempotencyKey: key() });
  await expect(refund).rejects.toMatchObject({ retryable: true, httpStatus: 401 });
});

test("a checkout signature is valid for its order and payment only", async () => {
  const { gatewayOrderId } = await gateway.createOrder(newOrder());
  const proof = fake.pay(gatewayOrderId);
  const gatewayPaymentId = proof.razorpay_payment_id;
  const callback = { gatewayOrderId, gatewayPaymentId, signature: proof.razorpay_signature };
  expect(gateway.verifyCheckout(callback)).toBe(true);
  const other = await paid();
  expect(gateway.verifyCheckout({ ...callback, gatewayOrderId: other.gatewayOrderId })).toBe(false);
  expect(gateway.verifyCheckout({ ...callback, gatewayPaymentId: other.gatewayPaymentId })).toBe(false);
});

test("webhooks with the old and with the new secret are accepted during a rotation", async () => {
  const before = await paid();
  fake.webhooks.configure({ secret: "new-hook" });
  const after = await paid();
  fake.webhooks.configure({ secret: "somebody-elses-hook" });
  await paid();
  const read = fake.webhooks
    .events()
    .filter(({ type }) => type === "order.paid")
    .map(({ id, rawBody, signature }) => gateway.parseWebhook({ rawBody, signature, eventId: id }));
  expect(read).toMatchObject([before, after, null].map((told) => told && { type: "order.paid", ...told }));
});

test("a webhook with a changed body is refused", async () => {
  await paid();
  for (const { id: eventId, rawBody, signature } of fake.webhooks.events()) {
    expect(gateway.parseWebhook({ rawBody, signature, eventId })?.eventId).toBe(eventId);
    const changed = rawBody.replace("14900", "14901");
    expect(gateway.parseWebhook({ rawBody: changed, signature, eventId })).toBeNull();
  }
});
