import type {
  CheckoutOffer,
  CheckoutToPay,
  PaymentProof,
  StartedCheckout,
  ValidCoupon,
} from "../endpoints/api-schemas.ts";

export function sampleOffer(more: Partial<CheckoutOffer> = {}): CheckoutOffer {
  return {
    slug: "canva",
    name: "Canva",
    description: "Posters, slides and social posts from premium templates.",
    badge: null,
    worksOn: ["phone", "laptop"],
    options: [
      { label: "7 Days", validityDays: 7, pricePaise: 4900, originalPricePaise: 14_900 },
      { label: "30 Days", validityDays: 30, pricePaise: 11_900, originalPricePaise: 49_900 },
    ],
    availableStock: 12,
    state: "payable",
    resumable: false,
    signedIn: true,
    ownedUntil: null,
    previousPassEndedAt: null,
    heldOption: null,
    heldCoupon: null,
    now: new Date("2026-11-21T10:00:00Z"),
    ...more,
  };
}

export const sampleCheckout: CheckoutToPay = {
  kind: "pay",
  purchaseId: "01938f4e-0000-7000-8000-000000000001",
  orderId: "order_1",
  keyId: "key_1",
  scriptUrl: "/sandbox-gateway/checkout.js",
  amountPaise: 11_900,
  currency: "INR",
  toolName: "Canva",
  email: "buyer@example.com",
  holdSeconds: 900,
};

export const sampleProof: PaymentProof = { orderId: "order_1", paymentId: "pay_1", signature: "ab12" };

export const sampleCoupon: ValidCoupon = { code: "MONSOON", discountPercentage: 20 };

export const sampleGrant: StartedCheckout = {
  kind: "granted",
  purchaseId: "01938f4e-0000-7000-8000-000000000002",
  expiresAt: new Date("2026-12-21T10:00:00Z"),
};
