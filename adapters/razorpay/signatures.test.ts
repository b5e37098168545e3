import { expect, test } from "vitest";
import {
  isCheckoutSignature,
  isWebhookSignature,
  sameSecret,
  signCheckout,
  signWebhook,
} from "./signatures.ts";

// Razorpay's published test vectors.
const CHECKOUT = {
  secret: "EnLs21M47BllR3X8PSFtjtbd",
  gatewayOrderId: "order_IEIaMR65cu6nz3",
  gatewayPaymentId: "pay_IH4NVgf4Dreq1l",
  signature: "0d4e745a1838664ad6c9c9902212a32d627d68e917290b0ad5f08ff4561bc50f",
};
const WEBHOOK = {
  secret: "123456",
  body: '{"a":1,"b":2,"c":{"d":3}}',
  signature: "2fe04e22977002e6c7cb553adab8b460cb9e2a4970d5953cb27a8472752e3bbc",
};

test("a checkout signature matches the published vector", () => {
  expect(signCheckout(CHECKOUT.gatewayOrderId, CHECKOUT.gatewayPaymentId, CHECKOUT.secret)).toBe(
    CHECKOUT.signature,
  );
  expect(isCheckoutSignature(CHECKOUT, CHECKOUT.secret)).toBe(true);
});

test.each([
  ["another order", { ...CHECKOUT, gatewayOrderId: "order_IEIaMR65cu6nz4" }],
  ["another payment", { ...CHECKOUT, gatewayPaymentId: "pay_IH4NVgf4Dreq1m" }],
  ["one changed digit", { ...CHECKOUT, signature: `1${CHECKOUT.signature.slice(1)}` }],
  ["a shorter signature", { ...CHECKOUT, signature: CHECKOUT.signature.slice(0, 63) }],
  ["a longer signature", { ...CHECKOUT, signature: `${CHECKOUT.signature}0` }],
  ["no signature", { ...CHECKOUT, signature: "" }],
  ["a signature of many-byte letters", { ...CHECKOUT, signature: "₹".repeat(64) }],
])("a checkout signature is refused for %s", (_, input) => {
  expect(isCheckoutSignature(input, CHECKOUT.secret)).toBe(false);
});

test("no checkout signature is accepted with an empty secret", () => {
  const signature = signCheckout(CHECKOUT.gatewayOrderId, CHECKOUT.gatewayPaymentId, "");
  expect(isCheckoutSignature({ ...CHECKOUT, signature }, "")).toBe(false);
});

test("a webhook signature matches the published vector", () => {
  expect(signWebhook(WEBHOOK.body, WEBHOOK.secret)).toBe(WEBHOOK.signature);
});

test("webhook signatures of the old and the new secret are accepted during a rotation", () => {
  expect(isWebhookSignature(WEBHOOK.body, WEBHOOK.signature, ["new", WEBHOOK.secret])).toBe(true);
  expect(isWebhookSignature(WEBHOOK.body, WEBHOOK.signature, ["new", "newer"])).toBe(false);
});

test("a webhook signature is refused for a body with the smallest change", () => {
  expect(isWebhookSignature(`${WEBHOOK.body} `, WEBHOOK.signature, [WEBHOOK.secret])).toBe(false);
});

test("no webhook signature is accepted without a secret", () => {
  expect(isWebhookSignature(WEBHOOK.body, WEBHOOK.signature, [])).toBe(false);
  expect(isWebhookSignature(WEBHOOK.body, signWebhook(WEBHOOK.body, ""), [""])).toBe(false);
});

test("secrets of different lengths are compared without an error", () => {
  expect(sameSecret("a", "aa")).toBe(false);
  expect(sameSecret("", "")).toBe(true);
});
