import Razorpay from "razorpay";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";

let gateway: FakeGateway;
let sdk: Razorpay;
beforeAll(async () => {
  gateway = await startFakeGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  sdk = sdkWith(gateway.keySecret);
});

/** The official SDK has a fixed address; the base URL of its HTTP client can be changed. */
function sdkWith(keySecret: string): Razorpay {
  const instance = new Razorpay({ key_id: gateway.keyId, key_secret: keySecret });
  Reflect.get(instance.api, "rq").defaults.baseURL = gateway.url;
  return instance;
}

const order = (receipt: string) => sdk.orders.create({ amount: 14_900, currency: "INR", receipt });

describe("the official SDK", () => {
  test("creates an order, and lists it with its payment once it is paid", async () => {
    const made = await sdk.orders.create({
      amount: 14_900,
      currency: "INR",
      receipt: "r-1",
      notes: { tool: "x" },
    });
    expect(made).toMatchObject({
      entity: "order",
      status: "created",
      amount_due: 14_900,
      notes: { tool: "x" },
    });
    const signedPayment = gateway.pay(made.id);
    expect(await sdk.orders.fetch(made.id)).toMatchObject({
      status: "paid",
      amount_paid: 14_900,
      attempts: 1,
    });
    expect(await sdk.orders.all({ receipt: "r-1" })).toMatchObject({ count: 1, items: [{ id: made.id }] });
    const { items } = await sdk.orders.fetchPayments(made.id);
    expect(items).toMatchObject([
      {
        id: signedPayment.razorpay_payment_id,
        order_id: made.id,
        status: "captured",
        method: "upi",
        currency: "INR",
      },
    ]);
    expect(await sdk.payments.fetch(signedPayment.razorpay_payment_id)).toEqual(items[0]);
  });

  test("captures a payment that was authorised late, once", async () => {
    const { id } = await order("r-2");
    const { razorpay_payment_id: paymentId } = gateway.authorize(id);
    expect(await sdk.payments.capture(paymentId, 14_900, "INR")).toMatchObject({
      id: paymentId,
      captured: true,
    });
    await expect(sdk.payments.capture(paymentId, 14_900, "INR")).rejects.toEqual({
      statusCode: 400,
      error: expect.objectContaining({
        code: "BAD_REQUEST_ERROR",
        description: "This payment has already been captured",
      }),
    });
  });

  test("refunds a payment in parts and in full", async () => {
    const { id } = await order("r-3");
    const { razorpay_payment_id: paymentId } = gateway.pay(id);
    const part = await sdk.payments.refund(paymentId, { amount: 4_900 });
    expect(part).toMatchObject({
      entity: "refund",
      payment_id: paymentId,
      amount: 4_900,
      status: "processed",
    });
    const rest = await sdk.payments.refund(paymentId, {});
    expect(rest.amount).toBe(10_000);
    expect(await sdk.refunds.fetch(part.id)).toEqual(part);
    expect(await sdk.payments.fetchMultipleRefund(paymentId, {})).toMatchObject({ items: [rest, part] });
    expect(await sdk.payments.fetch(paymentId)).toMatchObject({ status: "refunded", refund_status: "full" });
  });

  test("reports refused requests with the fields of the real gateway", async () => {
    await expect(sdk.orders.create({ amount: 99, currency: "INR" })).rejects.toMatchObject({
      statusCode: 400,
      error: { field: "amount", reason: "input_validation_failed" },
    });
    sdk = sdkWith("wrong");
    await expect(sdk.orders.fetch("order_1")).rejects.toMatchObject({
      statusCode: 401,
      error: { description: "Authentication failed" },
    });
  });
});
