import fc from "fast-check";
import Razorpay from "razorpay";
import { validatePaymentVerification } from "razorpay/dist/utils/razorpay-utils.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeGateway, startFakeGateway } from "#tests/fake-gateway/fake-gateway.ts";
import { requestApi } from "#tests/fake-gateway/request-api.ts";
import { isCheckoutSignature, isWebhookSignature, signCheckout, signWebhook } from "./signatures.ts";

const RUNS = { numRuns: 200 };
const secret = fc.string({ minLength: 1 });
const digit = fc.constantFrom(..."0123456789abcdef");

/** A signature that is right, or has one changed digit, is shorter, longer or a different text. */
const tampered = (signature: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(signature) },
    fc
      .tuple(fc.nat({ max: 63 }), digit)
      .map(([at, other]) => signature.slice(0, at) + other + signature.slice(at + 1)),
    fc.nat({ max: 63 }).map((length) => signature.slice(0, length)),
    fc.constant(`${signature}0`),
    fc.constant(signature.toUpperCase()),
    fc.string(),
  );

/** A text that is unchanged, or has one letter changed, added or removed. */
const changed = (text: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(text) },
    fc
      .tuple(fc.nat({ max: text.length }), fc.string({ maxLength: 1 }), fc.nat({ max: 1 }))
      .map(([at, letter, taken]) => text.slice(0, at) + letter + text.slice(at + taken)),
  );

test("the official SDK and our check accept and refuse the same webhook signatures", () => {
  let [accepted, refused] = [0, 0];
  const bodies = fc.oneof(fc.json({ maxDepth: 2 }), fc.string({ unit: "binary" }));
  const input = fc
    .tuple(bodies, secret)
    .chain(([body, key]) => fc.tuple(changed(body), tampered(signWebhook(body, key)), changed(key)))
    .filter(([, , key]) => key !== "");
  fc.assert(
    fc.property(input, ([body, signature, key]) => {
      const theirs = Razorpay.validateWebhookSignature(body, signature, key);
      if (theirs) accepted++;
      else refused++;
      expect(isWebhookSignature(body, signature, [key])).toBe(theirs);
      expect(isWebhookSignature(body, signature, ["the-one-before", key])).toBe(theirs);
    }),
    RUNS,
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(10);
});

test("the official SDK and our check accept and refuse the same checkout signatures", () => {
  let [accepted, refused] = [0, 0];
  const input = fc
    .tuple(fc.string(), fc.string(), secret)
    .chain(([order, payment, key]) =>
      fc.tuple(changed(order), changed(payment), tampered(signCheckout(order, payment, key)), changed(key)),
    )
    .filter(([, , , key]) => key !== "");
  fc.assert(
    fc.property(input, ([gatewayOrderId, gatewayPaymentId, signature, key]) => {
      const proof = { order_id: gatewayOrderId, payment_id: gatewayPaymentId };
      const theirs = validatePaymentVerification(proof, signature, key);
      if (theirs) accepted++;
      else refused++;
      expect(isCheckoutSignature({ gatewayOrderId, gatewayPaymentId, signature }, key)).toBe(theirs);
    }),
    RUNS,
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(10);
});

describe("signatures of the fake gateway", () => {
  let gateway: FakeGateway;
  beforeAll(async () => {
    gateway = await startFakeGateway({ webhookSecret: "hook-secret" });
  });
  afterAll(() => gateway.close());

  test("the official SDK and our checks accept the callback and all webhooks of the fake gateway", async () => {
    const { body } = await requestApi(gateway, "POST /v1/orders", {
      amount: 100,
      currency: "INR",
      receipt: "r",
    });
    const proof = gateway.pay(String(body.id));
    const [gatewayOrderId, gatewayPaymentId] = [proof.razorpay_order_id, proof.razorpay_payment_id];
    const signature = proof.razorpay_signature;
    const named = { order_id: gatewayOrderId, payment_id: gatewayPaymentId };
    expect(validatePaymentVerification(named, signature, gateway.keySecret)).toBe(true);
    expect(isCheckoutSignature({ gatewayOrderId, gatewayPaymentId, signature }, gateway.keySecret)).toBe(
      true,
    );
    gateway.refundAtGateway(gatewayPaymentId);
    const events = gateway.webhooks.events();
    expect(events).toHaveLength(5);
    for (const event of events) {
      expect(Razorpay.validateWebhookSignature(event.rawBody, event.signature, "hook-secret")).toBe(true);
      expect(isWebhookSignature(event.rawBody, event.signature, ["hook-secret"])).toBe(true);
    }
  });
});

test("the official SDK accepts the published vectors of signatures.test.ts", () => {
  const body = '{"a":1,"b":2,"c":{"d":3}}';
  const hook = "2fe04e22977002e6c7cb553adab8b460cb9e2a4970d5953cb27a8472752e3bbc";
  expect(Razorpay.validateWebhookSignature(body, hook, "123456")).toBe(true);
  const named = { order_id: "order_IEIaMR65cu6nz3", payment_id: "pay_IH4NVgf4Dreq1l" };
  const signature = "0d4e745a1838664ad6c9c9902212a32d627d68e917290b0ad5f08ff4561bc50f";
  expect(validatePaymentVerification(named, signature, "EnLs21M47BllR3X8PSFtjtbd")).toBe(true);
});
