import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { refundMessage } from "#core/refund-reasons.ts";
import { addDays, HOUR } from "#core/time.ts";
import type { CheckoutOffer, CheckoutToPay } from "../checkout/checkout-api.ts";
import type { CheckoutState, Step } from "../checkout/dialog/checkout-state.ts";
import { NO_COUPON } from "../checkout/dialog/coupon-machine.ts";

const NEVER = new Date(Date.UTC(2100, 0, 1));
const ID = "01938f4e-0000-7000-8000-000000000001";

const card = (more: Partial<CatalogueCard>): CatalogueCard => ({
  slug: "canva",
  name: "Canva",
  description: "Posters, slides and social posts from premium templates.",
  category: "design",
  badge: null,
  features: ["Premium templates and stock photos", "Background remover", "Brand kit"],
  worksOn: ["phone", "laptop"],
  pricePaise: 4_900,
  originalPricePaise: 14_900,
  validityDays: 7,
  hasOptions: true,
  availableStock: 12,
  contactOnly: false,
  popularPlace: null,
  ...more,
});

export const CARDS: readonly CatalogueCard[] = [
  card({ badge: "Popular", popularPlace: 1 }),
  card({ slug: "owned", name: "ChatGPT Plus" }),
  card({ slug: "few", name: "Udemy", availableStock: 3, hasOptions: false }),
  card({ slug: "sold-out", name: "QuillBot", availableStock: 0 }),
  card({ slug: "free", name: "Grammar Checker", pricePaise: 0, hasOptions: false }),
  card({ slug: "chat", name: "NordVPN", contactOnly: true, category: "vpn", badge: "New" }),
];

/** Passes, by what is special about each. */
export function passesAt(now: Date): Record<string, PassView> {
  const pass = (more: Partial<PassView>): PassView => ({
    ...card({}),
    id: ID,
    orderNumber: "K7QM4XTP",
    toolName: "Canva",
    toolSlug: "canva",
    onSale: true,
    isSold: true,
    optionLabel: "30 Days",
    validityDays: 30,
    source: "checkout",
    startsAt: addDays(now, -12),
    expiresAt: addDays(now, 18),
    renewedUntil: null,
    badge: "Active",
    endedReason: null,
    amountPaise: 11_900,
    paidPaise: null,
    paidAt: addDays(now, -12),
    paymentSeen: true,
    declined: false,
    refunds: [],
    uncapturedPayment: null,
    ...more,
  });
  const facts = { amountPaise: 11_900, at: now };
  return {
    running: pass({}),
    "ends soon": pass({ expiresAt: new Date(now.getTime() + 5 * HOUR) }),
    renewed: pass({ expiresAt: addDays(now, 2), renewedUntil: addDays(now, 32) }),
    "starts later": pass({ badge: "Waiting", startsAt: addDays(now, 2), expiresAt: addDays(now, 32) }),
    "no end": pass({ expiresAt: NEVER, source: "admin", amountPaise: 0, paidAt: null }),
    refund: pass({ refunds: [{ status: "processing", why: refundMessage("duplicate-payment"), ...facts }] }),
    "not taken": pass({ uncapturedPayment: { why: refundMessage("out-of-stock"), ...facts } }),
    chat: pass({ contactOnly: true, toolName: "A tool with quite a long name, as some have" }),
    "not sold any more": pass({ onSale: false, isSold: false }),
  };
}

const NOTICES = ["closed", "closed-unsure", "declined", "price-changed", "no-window", "network"] as const;
const STEPS = ["sold-out", "not-set-up", "contact", "free", "cancelled", "missing", "unreachable"] as const;
const CAUSES = ["bank", "unreachable", "signed-out"] as const;

/** What the purchase dialog shows, by its step. */
export function purchasesAt(now: Date): Record<string, CheckoutState> {
  const offer: CheckoutOffer = {
    ...card({}),
    options: [
      { label: "7 Days", validityDays: 7, pricePaise: 4_900, originalPricePaise: 14_900 },
      { label: "30 Days", validityDays: 30, pricePaise: 11_900, originalPricePaise: 49_900 },
    ],
    state: "payable",
    gateway: "razorpay",
    signedIn: true,
    ownedUntil: addDays(now, 5),
    canRenew: true,
    renewalSoldOut: false,
    renewableFrom: null,
    renewedUntil: null,
    previousPassEndedAt: null,
    heldOption: null,
    heldCoupon: null,
    openCheckout: null,
    now,
  };
  const checkout: CheckoutToPay = {
    kind: "pay",
    purchaseId: ID,
    gatewayOrderId: "order_1",
    keyId: "key_1",
    scriptUrl: "/",
    amountPaise: 4_900,
    currency: "INR",
    toolName: "Canva",
    email: "buyer@example.com",
    holdSeconds: 900,
  };
  const base = { tool: null, offer, optionLabel: "7 Days", coupon: NO_COUPON, visible: true };
  const at = (step: Step, more: Partial<CheckoutState> = {}): CheckoutState => ({ ...base, step, ...more });
  const payable = { name: "payable", notice: null } as const;
  const until = addDays(now, 7);
  const success = { name: "success", orderNumber: "K7QM4XTP", chargedPaise: 4_900, until } as const;
  const polling = { name: "polling", checkout, polls: 0, unreachable: false } as const;
  const openCheckout = { amountPaise: 4_900, startedAt: now, declined: false };
  const refused = { name: "entered", text: "MONSOON", error: "This coupon has expired" } as const;
  const applied = { name: "applied", code: "MONSOON", discountPercentage: 20 } as const;
  return {
    loading: at({ name: "checking", notice: null }, { offer: null, optionLabel: null }),
    payable: at(payable),
    "open checkout": at(payable, { offer: { ...offer, openCheckout, previousPassEndedAt: now } }),
    "coupon refused": at({ ...payable, notice: { kind: "coupon-refused" } }, { coupon: refused }),
    "coupon applied": at({ ...payable, notice: { kind: "coupon-applied" } }, { coupon: applied }),
    renewal: at(payable, { renews: true }),
    visitor: at(payable, { offer: { ...offer, signedIn: false } }),
    ...Object.fromEntries(NOTICES.map((kind) => [kind, at({ ...payable, notice: { kind } })])),
    starting: at({ name: "starting", amountPaise: 4_900 }),
    cancelling: at({ name: "cancelling", checkout, why: "closed" }),
    confirming: at(polling),
    "confirming, long": at({ ...polling, polls: 5 }),
    "confirming, unreachable": at({ ...polling, unreachable: true }),
    success: at({ ...success, startsAt: now }),
    renewed: at({ ...success, startsAt: until, until: addDays(until, 7) }, { renews: true }),
    "nothing to pay": at({ ...success, startsAt: now, chargedPaise: 0, until: NEVER }),
    owned: at({ name: "owned", until }),
    refunded: at({ name: "refunded", reason: refundMessage("out-of-stock"), amountPaise: 4_900 }),
    "not taken": at({ name: "not-taken", reason: refundMessage("already-owned"), amountPaise: 4_900 }),
    ...Object.fromEntries(CAUSES.map((cause) => [`late, ${cause}`, at({ name: "late", checkout, cause })])),
    ...Object.fromEntries(STEPS.map((name) => [name, at({ name })])),
  };
}
