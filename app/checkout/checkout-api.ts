import * as z from "zod/mini";
import { GATEWAY_NAMES } from "#core/payments/payment-gateway.ts";
import { type ApiResult, callShop, postJson, readAnswer } from "../connection/shop-api.ts";
import { readCameFrom } from "../storefront/came-from.ts";
import { fetchOffer, type RequestedTool } from "./purchase-request.ts";

export interface CheckoutApi {
  /** @param asked the answer to a request for it that was made before */
  offer(
    tool: RequestedTool,
    signal: AbortSignal,
    asked?: Promise<Response>,
  ): Promise<ApiResult<CheckoutOffer>>;
  coupon(input: { slug: string; code: string }, signal: AbortSignal): Promise<ApiResult<ValidCoupon>>;
  start(input: {
    slug: string;
    option: string | null;
    coupon: string | null;
    /** The buyer adds to the end of the pass. */
    renewal?: boolean;
  }): Promise<ApiResult<StartedCheckout>>;
  confirm(proof: PaymentProof): Promise<ApiResult<CheckoutStatus>>;
  cancel(purchaseId: string): Promise<ApiResult<CheckoutStatus>>;
  status(purchaseId: string, signal: AbortSignal): Promise<ApiResult<CheckoutStatus>>;
}

/** Calls the checkout endpoints from the browser. Never rejects. */
export const checkoutApi: CheckoutApi = {
  offer: async (tool, signal, asked) => {
    const early = asked && (await readAnswer(offerSchema, asked));
    // It may have been lost while the code was being loaded.
    const isLost = early === undefined || (!early.ok && early.refusal === null);
    return isLost ? readAnswer(offerSchema, fetchOffer(tool, signal)) : early;
  },
  coupon: (input, signal) => callShop(couponSchema, "/checkout/coupon", { ...postJson(input), signal }),
  // `reads` tells this page from a page that was opened before an upgrade from 0.2.0, and goes with its names on the server.
  start: (input) =>
    callShop(
      startedCheckoutSchema,
      "/checkout/start",
      postJson({ ...input, cameFrom: readCameFrom(), reads: "gatewayOrderId" }),
    ),
  confirm: (proof) =>
    callShop(checkoutStatusSchema, "/checkout/confirm", { ...postJson(proof), keepalive: true }),
  // `keepalive`: the hold is released even when the buyer leaves the page meanwhile.
  cancel: (purchaseId) =>
    callShop(checkoutStatusSchema, "/checkout/cancel", { ...postJson({ purchaseId }), keepalive: true }),
  status: (purchaseId, signal) => {
    const query = new URLSearchParams({ purchaseId });
    return callShop(checkoutStatusSchema, `/checkout/status?${query}`, { signal });
  },
};

const date = z.pipe(
  z.iso.datetime(),
  z.transform((text: string) => new Date(text)),
);
const paise = z.int().check(z.nonnegative());

const pricingOption = z.object({
  label: z.string(),
  validityDays: z.int(),
  pricePaise: paise,
  originalPricePaise: z.nullable(paise),
  shownLabel: z.optional(z.string()),
});

const coupon = z.object({ code: z.string(), discountPercentage: z.int() });

/** Response of GET checkout/offer. Paise, days, UTC. */
export const offerSchema = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  features: z._default(z.array(z.string()), []),
  badge: z.nullable(z.string()),
  /** Empty: the shop says nothing about it. */
  worksOn: z._default(z.array(z.enum(["phone", "laptop", "extension"])), []),
  options: z.array(pricingOption),
  availableStock: z.int(),
  state: z.enum(["payable", "already-owned", "contact-only", "free", "payments-not-set-up"]),
  /** Who collects the payment. */
  gateway: z._default(z.nullable(z.enum(GATEWAY_NAMES)), null),
  signedIn: z.boolean(),
  ownedUntil: z.nullable(date),
  /** The pass can be renewed now: the renewal starts when it ends. */
  canRenew: z._default(z.boolean(), false),
  /** The time to renew the pass has come, and the tool is sold out. */
  renewalSoldOut: z._default(z.boolean(), false),
  /** The later time from which the pass can be renewed; null: it has come, or there is none. */
  renewableFrom: z._default(z.nullable(date), null),
  /** End of the renewal that waits for the end of the pass. */
  renewedUntil: z._default(z.nullable(date), null),
  /** End of the visitor's last expired pass of this tool. */
  previousPassEndedAt: z.nullable(date),
  /** The option and the coupon of the buyer's open checkout of this tool. */
  heldOption: z.nullable(z.string()),
  heldCoupon: z.nullable(coupon),
  /** That checkout. It holds a unit, so it can be paid at stock 0; its payment may still arrive. */
  openCheckout: z._default(
    z.nullable(z.object({ amountPaise: paise, startedAt: date, declined: z._default(z.boolean(), false) })),
    null,
  ),
  now: date,
});

/** Response of POST checkout/coupon: a code that is valid for the tool. */
export const couponSchema = coupon;

/** The pass of a checkout. A shop of the version before sends only its end. */
const boughtPass = { orderNumber: z.optional(z.string()), startsAt: z.optional(date), expiresAt: date };

/**
 * A shop of 0.2.0 has other names, and answers a page of this version while several machines are upgraded one after the other, and after
 * the way back. Needed for one release.
 */
function ofOlderShop(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("kind" in answer)) return answer;
  if (answer.kind === "granted") return { ...answer, kind: "nothing-to-pay" };
  return "orderId" in answer ? { gatewayOrderId: answer.orderId, ...answer } : answer;
}

const startedCheckout = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("pay"),
    purchaseId: z.string(),
    gatewayOrderId: z.string(),
    keyId: z.string(),
    scriptUrl: z.string(),
    amountPaise: paise,
    currency: z.string(),
    toolName: z.string(),
    email: z.string(),
    /** Seconds until the hold ends. */
    holdSeconds: z.int(),
  }),
  z.object({ kind: z.literal("nothing-to-pay"), purchaseId: z.string(), ...boughtPass }),
]);

/** Response of POST checkout/start: what opens the gateway's window, or the pass when nothing is charged. */
export const startedCheckoutSchema = z.pipe(z.transform(ofOlderShop), startedCheckout);

/** What was paid, where it is not the price. */
const paid = { paidPaise: z.optional(paise) };

/** Response of POST checkout/confirm, POST checkout/cancel and GET checkout/status. */
export const checkoutStatusSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("success"), ...boughtPass, ...paid }),
  z.object({ state: z.literal("confirming") }),
  z.object({ state: z.literal("waiting") }),
  z.object({ state: z.literal("refunded"), reason: z.string(), ...paid }),
  z.object({ state: z.literal("not-taken"), reason: z.string(), ...paid }),
  z.object({ state: z.literal("cancelled") }),
  z.object({ state: z.literal("ended"), unsure: z.optional(z.literal(true)) }),
]);

export type PricingOption = z.infer<typeof pricingOption>;
export type CheckoutOffer = z.infer<typeof offerSchema>;
export type ValidCoupon = z.infer<typeof couponSchema>;
export type StartedCheckout = z.infer<typeof startedCheckoutSchema>;
export type CheckoutToPay = Extract<StartedCheckout, { kind: "pay" }>;
export type CheckoutStatus = z.infer<typeof checkoutStatusSchema>;

/** Input of POST checkout/confirm: what the gateway's script returns after a payment. */
export interface PaymentProof {
  gatewayOrderId: string;
  gatewayPaymentId: string;
  signature: string;
}
