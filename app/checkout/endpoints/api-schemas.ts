import * as z from "zod/mini";

const moment = z.pipe(
  z.iso.datetime(),
  z.transform((text: string) => new Date(text)),
);
const paise = z.int().check(z.nonnegative());

const pricingOption = z.object({
  label: z.string(),
  validityDays: z.int(),
  pricePaise: paise,
  originalPricePaise: z.nullable(paise),
});

const coupon = z.object({ code: z.string(), discountPercentage: z.int() });

/** GET checkout/offer. Paise, days, UTC. */
export const wireOffer = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  badge: z.nullable(z.string()),
  options: z.array(pricingOption),
  availableStock: z.int(),
  state: z.enum(["payable", "already-owned", "contact-only", "free", "payments-not-set-up"]),
  /** True when the buyer holds a unit from an earlier try: the tool is theirs to pay even at stock 0. */
  resumable: z._default(z.boolean(), false),
  signedIn: z.boolean(),
  ownedUntil: z.nullable(moment),
  /** End of the visitor's last pass of this tool that is over. */
  previousPassEndedAt: z.nullable(moment),
  /** The option, and the coupon, of the buyer's own open checkout of this tool. */
  heldOption: z.nullable(z.string()),
  heldCoupon: z.nullable(coupon),
  now: moment,
});

/** POST checkout/coupon: a code that may be used for the tool. */
export const wireCoupon = coupon;

/** POST checkout/start: what opens the gateway's checkout, or the pass itself when there was nothing to charge. */
export const wireStarted = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("pay"),
    purchaseId: z.string(),
    orderId: z.string(),
    keyId: z.string(),
    scriptUrl: z.string(),
    amountPaise: paise,
    currency: z.string(),
    toolName: z.string(),
    email: z.string(),
    /** How long the shop keeps what it holds. */
    holdSeconds: z.int(),
  }),
  z.object({ kind: z.literal("granted"), purchaseId: z.string(), expiresAt: moment }),
]);

/** POST checkout/confirm, POST checkout/cancel, GET checkout/status. */
export const wireStatus = z.discriminatedUnion("state", [
  z.object({ state: z.literal("success"), expiresAt: moment }),
  z.object({ state: z.literal("confirming") }),
  z.object({ state: z.literal("waiting") }),
  z.object({ state: z.literal("refunded"), reason: z.string() }),
  z.object({ state: z.literal("not-taken"), reason: z.string() }),
  z.object({ state: z.literal("cancelled") }),
  z.object({ state: z.literal("ended"), unsure: z.optional(z.literal(true)) }),
]);

/** Any refusal. `code` is the shop's own name for it, `message` the words for people. */
export const wireRefusal = z.object({ ok: z.literal(false), code: z.string(), message: z.string() });

export type BuyingOption = z.infer<typeof pricingOption>;
export type ShownOffer = z.infer<typeof wireOffer>;
export type AppliedCoupon = z.infer<typeof wireCoupon>;
export type StartedCheckout = z.infer<typeof wireStarted>;
export type OpenedCheckout = Extract<StartedCheckout, { kind: "pay" }>;
export type StandOfPurchase = z.infer<typeof wireStatus>;

/** What the gateway's script hands back after a payment, under our own names. */
export interface PaidCallback {
  orderId: string;
  paymentId: string;
  signature: string;
}

/** The schemas of answers, checked where they enter the browser. */
export type WireSchema<Value> = z.ZodMiniType<Value>;
