import { HOLD_MS, HOLDS_PER_ACCOUNT } from "#core/checkout/rules.ts";
import { CORE_MESSAGES, type ErrorCode } from "#core/errors.ts";
import { MINUTE } from "#core/time.ts";
import { type Details, type MessageRule, refusalOf } from "./message-rule.ts";

/** Refusals of the catalogue, the checkout, coupons and the giveaway. */
export const SALES_MESSAGES = {
  "tool-not-found": { status: 404, message: CORE_MESSAGES["tool-not-found"] },
  "option-not-found": {
    status: 409,
    message: "This option is no longer on offer. Please choose another.",
  },
  "tool-out-of-stock": { status: 409, message: "Tool is out of stock" },
  "already-owned": { status: 409, message: "You already have access to this tool!" },
  "contact-only": {
    status: 409,
    message: "This tool is sold on WhatsApp. Please message us there.",
  },
  "tool-is-free": { status: 409, message: "This tool is free. Open it from the home page." },
  "payments-not-set-up": {
    status: 503,
    message: "Payments are not set up in this shop yet. You were not charged.",
  },
  "gateway-unavailable": {
    status: 503,
    message: "The payment service cannot be reached right now. You were not charged. Please try again.",
  },
  "payment-not-verified": { status: 402, message: "Payment failed. Please try again." },
  "purchase-not-found": { status: 404, message: CORE_MESSAGES["purchase-not-found"] },
  "checkout-ended": {
    status: 409,
    message: "This checkout has ended. If you were charged, you’ll be refunded automatically.",
  },
  "too-many-checkouts": {
    status: 429,
    message: ({ limit = HOLDS_PER_ACCOUNT }: Details) =>
      `You have ${limit} checkouts open. Finish or close one of them, or wait ${HOLD_MS / MINUTE} minutes.`,
  },
  "too-many-checkouts-here": {
    status: 429,
    message: "Too many checkouts are open on your network. Please try again in a few minutes.",
  },
  "checkouts-too-fast": {
    status: 429,
    message: "Too many checkouts. Please try again in a few minutes.",
  },
  "coupon-not-found": { status: 404, message: CORE_MESSAGES["coupon-not-found"], field: "coupon" },
  "coupon-inactive": { status: 409, message: "This coupon is no longer active", field: "coupon" },
  "coupon-limit-reached": {
    status: 409,
    message: "This coupon has reached its usage limit",
    field: "coupon",
  },
  "coupon-expired": { status: 409, message: "This coupon has expired", field: "coupon" },
  "coupon-used-up": {
    status: 409,
    message: "Coupon usage limit has been reached",
    field: "coupon",
  },
  "coupon-lookup-failed": { status: 503, message: CORE_MESSAGES["coupon-lookup-failed"], field: "coupon" },
  "coupon-tries-exceeded": refusalOf("coupon-account", "coupon codes", "coupon"),
  "no-giveaway": { status: 404, message: "There is no giveaway today." },
  "giveaway-ended": {
    status: 409,
    message: "This giveaway has ended. Please reload the page to see today’s.",
  },
  "giveaway-taken": { status: 409, message: "Someone else was faster. Today’s pass has been claimed." },
  "claims-too-fast": refusalOf("giveaway-account", "claims"),
} satisfies Partial<Record<ErrorCode, MessageRule>>;
