import { createHash, createHmac, timingSafeEqual } from "node:crypto";

function hmacHex(signed: string | Uint8Array, secret: string): string {
  return createHmac("sha256", secret).update(signed).digest("hex");
}

/** Compares two texts of any length in constant time. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The signature that the checkout gives to the buyer's browser: hex HMAC-SHA256 of `order id|payment id`. */
export function signCheckout(gatewayOrderId: string, gatewayPaymentId: string, keySecret: string): string {
  return hmacHex(`${gatewayOrderId}|${gatewayPaymentId}`, keySecret);
}

/** Whether the signature of a checkout is right. An empty secret accepts none, because anyone can sign with it. */
export function isCheckoutSignature(
  proof: { gatewayOrderId: string; gatewayPaymentId: string; signature: string },
  keySecret: string,
): boolean {
  const { gatewayOrderId, gatewayPaymentId, signature } = proof;
  return keySecret !== "" && sameSecret(signature, signCheckout(gatewayOrderId, gatewayPaymentId, keySecret));
}

/** The X-Razorpay-Signature of a webhook: hex HMAC-SHA256 of the bytes of its body; a text is UTF-8. */
export function signWebhook(rawBody: string | Uint8Array, webhookSecret: string): string {
  return hmacHex(rawBody, webhookSecret);
}

/** Whether any of the secrets signed the body; two are in use during a rotation. */
export function isWebhookSignature(
  rawBody: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): boolean {
  return secrets.some((secret) => secret !== "" && sameSecret(signature, signWebhook(rawBody, secret)));
}
