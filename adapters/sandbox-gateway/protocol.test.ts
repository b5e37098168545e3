import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GatewayDispute } from "#core/payments/payment-gateway.ts";
import { sandboxPayments, sandboxRefunds, sandboxWebhooks } from "#db/tables/sandbox.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { startLoopbackShop } from "#tests/fixtures/loopback-shop.ts";
import { SANDBOX_KEYS } from "#tests/fixtures/sandbox-server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let shop: Awaited<ReturnType<typeof startLoopbackShop>>;
beforeAll(async () => {
  database = await freshDatabase();
  shop = await startLoopbackShop(database.url);
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const newReceipt = () => randomUUID();
const orderOf = (amountPaise: number) =>
  shop.gateway.createOrder({ receipt: newReceipt(), amountPaise, currency: "INR" });

async function paidOrder(amountPaise: number) {
  const order = await orderOf(amountPaise);
  await shop.choose("pay", order.gatewayOrderId);
  const [payment] = await shop.gateway.fetchOrderPayments(order.gatewayOrderId);
  if (!payment) throw new Error("no payment was made");
  return { order, payment };
}

/** A payment that is authorised and not captured yet. */
async function authorisedPayment(amountPaise: number) {
  const { gatewayOrderId } = await orderOf(amountPaise);
  const id = `pay_${randomUUID().slice(0, 8)}`;
  const row = { id, orderId: gatewayOrderId, amountPaise, currency: "INR", status: "authorized" } as const;
  await shop.db.insert(sandboxPayments).values(row);
  return { gatewayOrderId, gatewayPaymentId: id };
}

test("the sandbox creates an order and finds it by its receipt", async () => {
  const receipt = newReceipt();
  expect(await shop.gateway.findOrderByReceipt(receipt)).toBeNull();
  const order = await shop.gateway.createOrder({ receipt, amountPaise: 14_900, currency: "INR" });
  expect(order).toEqual({
    gatewayOrderId: expect.stringMatching(/^order_[A-Za-z0-9]{14}$/),
    receipt,
    amountPaise: 14_900,
    currency: "INR",
  });
  expect(await shop.gateway.findOrderByReceipt(receipt)).toEqual(order);
  expect(await shop.gateway.fetchOrderPayments(order.gatewayOrderId)).toEqual([]);
});

test("the sandbox refuses an order with a used receipt", async () => {
  const input = { receipt: newReceipt(), amountPaise: 14_900, currency: "INR" };
  await shop.gateway.createOrder(input);
  await expect(shop.gateway.createOrder(input)).rejects.toMatchObject({
    retryable: false,
    httpStatus: 400,
  });
});

test.each([
  ["less than a rupee", { amountPaise: 99 }],
  ["parts of a paisa", { amountPaise: 100.5 }],
  ["another currency", { currency: "USD" }],
  ["a receipt of 41 letters", { receipt: "r".repeat(41) }],
  ["no receipt", { receipt: "" }],
])("the sandbox refuses an order with %s", async (_, change) => {
  const input = { receipt: newReceipt(), amountPaise: 100, currency: "INR", ...change };
  await expect(shop.gateway.createOrder(input)).rejects.toMatchObject({ httpStatus: 400 });
});

test("the sandbox refuses to list the payments of an unknown order", async () => {
  await expect(shop.gateway.fetchOrderPayments("order_unknown")).rejects.toMatchObject({ httpStatus: 400 });
});

test.each([
  ["wrong secret", `Basic ${Buffer.from(`${SANDBOX_KEYS.keyId}:wrong`).toString("base64")}`],
  ["wrong key", `Basic ${Buffer.from(`other:${SANDBOX_KEYS.keySecret}`).toString("base64")}`],
  ["no key", undefined],
])("the sandbox refuses a request with a %s", async (_, authorization) => {
  const headers = authorization ? { authorization } : {};
  const response = await fetch(`${shop.base}/sandbox-gateway/v1/orders`, { headers });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { code: "BAD_REQUEST_ERROR" } });
});

test("the sandbox captures an authorised payment, and a repeated capture returns it", async () => {
  const { gatewayOrderId, gatewayPaymentId } = await authorisedPayment(5_000);
  const input = { gatewayPaymentId, amountPaise: 5_000, currency: "INR" };
  expect(await shop.gateway.capturePayment(input)).toMatchObject({
    gatewayPaymentId,
    gatewayOrderId,
    status: "captured",
  });
  expect(await shop.gateway.capturePayment(input)).toMatchObject({
    gatewayPaymentId,
    gatewayOrderId,
    status: "captured",
  });
});

test("the sandbox refuses a capture of another amount, of a failed payment and of an unknown one", async () => {
  const { gatewayPaymentId } = await authorisedPayment(5_000);
  const refused = { retryable: false, httpStatus: 400 };
  const capture = (id: string, amountPaise: number) =>
    shop.gateway.capturePayment({ gatewayPaymentId: id, amountPaise, currency: "INR" });
  await expect(capture(gatewayPaymentId, 4_999)).rejects.toMatchObject(refused);
  const order = await orderOf(5_000);
  await shop.choose("fail", order.gatewayOrderId);
  const [failed] = await shop.gateway.fetchOrderPayments(order.gatewayOrderId);
  await expect(capture(failed?.gatewayPaymentId ?? "", 5_000)).rejects.toMatchObject(refused);
  await expect(capture("pay_unknown", 5_000)).rejects.toMatchObject(refused);
});

test("the sandbox does not capture a second payment of an order", async () => {
  const { gatewayOrderId, gatewayPaymentId } = await authorisedPayment(5_000);
  await shop.choose("pay", gatewayOrderId);
  const capture = shop.gateway.capturePayment({
    gatewayPaymentId,
    amountPaise: 5_000,
    currency: "INR",
  });
  await expect(capture).rejects.toMatchObject({ httpStatus: 400 });
});

describe("refunds", () => {
  const key = () => `refund-${randomUUID()}`;

  test("requests with one idempotency key make one refund in the sandbox, however many arrive at once", async () => {
    const { payment } = await paidOrder(14_900);
    const input = { gatewayPaymentId: payment.gatewayPaymentId, amountPaise: 14_900, idempotencyKey: key() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.gateway.refund(input)));
    expect(new Set(answers.map((answer) => answer.gatewayRefundId)).size).toBe(1);
    expect(answers[0]).toMatchObject({ amountPaise: 14_900, status: "processed" });
    const byPayment = eq(sandboxRefunds.paymentId, payment.gatewayPaymentId);
    expect(await shop.db.$count(sandboxRefunds, byPayment)).toBe(1);
    const [after] = await shop.gateway.fetchOrderPayments(payment.gatewayOrderId);
    expect(after?.status).toBe("refunded");
    const isProcessed = eq(sandboxWebhooks.event, "refund.processed");
    const bodies = await shop.db.select().from(sandboxWebhooks).where(isProcessed);
    expect(bodies.filter((row) => row.body.includes(payment.gatewayPaymentId))).toHaveLength(1);
  });

  test("a refund in the sandbox is fetched by its id, and its payment has the refunded amount", async () => {
    const { payment } = await paidOrder(10_000);
    const input = { gatewayPaymentId: payment.gatewayPaymentId, amountPaise: 4_000, idempotencyKey: key() };
    expect(payment.refundedPaise).toBe(0);
    const refund = await shop.gateway.refund(input);
    expect(await shop.gateway.fetchRefund({ gatewayRefundId: refund.gatewayRefundId })).toEqual(refund);
    const [after] = await shop.gateway.fetchOrderPayments(payment.gatewayOrderId);
    expect(after).toMatchObject({ status: "captured", refundedPaise: 4_000 });
    const unknown = shop.gateway.fetchRefund({ gatewayRefundId: "rfnd_unknown" });
    await expect(unknown).rejects.toMatchObject({ retryable: false, httpStatus: 400 });
  });

  test("refunds in the sandbox never exceed the amount of the payment", async () => {
    const { payment } = await paidOrder(10_000);
    const refund = (amountPaise: number) =>
      shop.gateway.refund({ gatewayPaymentId: payment.gatewayPaymentId, amountPaise, idempotencyKey: key() });
    await expect(refund(10_001)).rejects.toMatchObject({ retryable: false, httpStatus: 400 });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => refund(3_000)));
    expect(results.filter((one) => one.status === "fulfilled")).toHaveLength(3);
    expect((await shop.gateway.fetchOrderPayments(payment.gatewayOrderId))[0]?.status).toBe("captured");
  });

  test("the sandbox refuses a refund with the key of another request or with a short key", async () => {
    const { payment } = await paidOrder(10_000);
    const idempotencyKey = key();
    const refused = { retryable: false, httpStatus: 400 };
    const refund = (amountPaise: number, withKey: string, gatewayPaymentId = payment.gatewayPaymentId) =>
      shop.gateway.refund({ gatewayPaymentId, amountPaise, idempotencyKey: withKey });
    await refund(1_000, idempotencyKey);
    await expect(refund(2_000, idempotencyKey)).rejects.toMatchObject(refused);
    const other = await paidOrder(10_000);
    await expect(refund(1_000, idempotencyKey, other.payment.gatewayPaymentId)).rejects.toMatchObject(
      refused,
    );
    await expect(refund(1_000, "short")).rejects.toMatchObject(refused);
  });

  test("the sandbox refuses a refund of a payment that was not captured", async () => {
    const { gatewayPaymentId } = await authorisedPayment(5_000);
    const refund = shop.gateway.refund({
      gatewayPaymentId,
      amountPaise: 5_000,
      idempotencyKey: key(),
    });
    await expect(refund).rejects.toMatchObject({ retryable: false, httpStatus: 400 });
  });
});

describe("disputes", () => {
  const disputesSince = async (since: Date) => {
    const found: GatewayDispute[] = [];
    for await (const page of shop.gateway.listDisputes({ since })) found.push(...page);
    return found;
  };

  test.each([
    ["pay-then-dispute", "open", 0, ["payment.dispute.created"]],
    ["pay-then-lose", "lost", 14_900, ["payment.dispute.created", "payment.dispute.lost"]],
  ] as const)("the choice %s makes a dispute in the sandbox, once, with its webhooks", async (choice, status, deducted, events) => {
    const { gatewayOrderId } = await orderOf(14_900);
    await shop.choose(choice, gatewayOrderId);
    await shop.choose(choice, gatewayOrderId);
    const [payment] = await shop.gateway.fetchOrderPayments(gatewayOrderId);
    const own = (await disputesSince(new Date(0))).filter(
      ({ gatewayPaymentId }) => gatewayPaymentId === payment?.gatewayPaymentId,
    );
    expect(own).toEqual([
      {
        gatewayDisputeId: expect.stringMatching(/^disp_[A-Za-z0-9]{14}$/),
        gatewayPaymentId: payment?.gatewayPaymentId,
        amountPaise: 14_900,
        deductedPaise: deducted,
        currency: "INR",
        phase: "chargeback",
        status,
        reasonCode: "goods_or_services_not_received_or_partially_received",
        reason: "The buyer says that nothing was delivered.",
        respondBy: expect.any(Date),
        createdAt: expect.any(Date),
      },
    ]);
    const gatewayDisputeId = own[0]?.gatewayDisputeId ?? "";
    expect(await shop.gateway.fetchDispute({ gatewayDisputeId })).toEqual(own[0]);
    const webhooks = await shop.db.select().from(sandboxWebhooks);
    const about = webhooks.filter(({ body }) => body.includes(gatewayDisputeId));
    expect(about.map(({ event }) => event).sort()).toEqual(events);
  });

  test("the sandbox lists disputes from a time on, and refuses an unknown dispute for good", async () => {
    expect(await disputesSince(new Date(Date.now() + 60_000))).toEqual([]);
    const unknown = shop.gateway.fetchDispute({ gatewayDisputeId: "disp_AAAAAAAAAAAAAA" });
    await expect(unknown).rejects.toMatchObject({ retryable: false, httpStatus: 400 });
  });
});
