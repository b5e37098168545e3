import {
  type AppliedCoupon,
  type PaidCallback,
  type ShownOffer,
  type StandOfPurchase,
  type StartedCheckout,
  type WireSchema,
  wireCoupon,
  wireOffer,
  wireRefusal,
  wireStarted,
  wireStatus,
} from "./endpoints/api-schemas.ts";
import type { WantedTool } from "./dialog/checkout-state.ts";

/** What the shop said: the thing asked for, a refusal in its own words, or nothing that could be understood. */
export type Answer<Value> =
  | { ok: true; value: Value }
  | { ok: false; refusal: { code: string; message: string } | null };

export interface CheckoutApi {
  offer(tool: WantedTool, signal: AbortSignal): Promise<Answer<ShownOffer>>;
  coupon(input: { slug: string; code: string }, signal: AbortSignal): Promise<Answer<AppliedCoupon>>;
  start(input: {
    slug: string;
    option: string | null;
    coupon: string | null;
  }): Promise<Answer<StartedCheckout>>;
  confirm(paid: PaidCallback): Promise<Answer<StandOfPurchase>>;
  cancel(purchaseId: string): Promise<Answer<StandOfPurchase>>;
  status(purchaseId: string, signal: AbortSignal): Promise<Answer<StandOfPurchase>>;
}

/** Longer than the shop itself waits for the gateway. */
const PATIENCE_MS = 30_000;

/** The shop's checkout addresses, as the browser calls them. Never throws. */
export const checkoutApi: CheckoutApi = {
  offer: (tool, signal) => {
    const query = new URLSearchParams({ tool: tool.slug ?? tool.name });
    return ask(wireOffer, `/checkout/offer?${query}`, { signal });
  },
  coupon: (input, signal) => ask(wireCoupon, "/checkout/coupon", { ...post(input), signal }),
  start: (input) => ask(wireStarted, "/checkout/start", post(input)),
  confirm: (paid) => ask(wireStatus, "/checkout/confirm", { ...post(paid), keepalive: true }),
  // A page that is left while this is under way still gives back what it held.
  cancel: (purchaseId) => ask(wireStatus, "/checkout/cancel", { ...post({ purchaseId }), keepalive: true }),
  status: (purchaseId, signal) => {
    const query = new URLSearchParams({ purchaseId });
    return ask(wireStatus, `/checkout/status?${query}`, { signal });
  },
};

function post(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function ask<Value>(
  schema: WireSchema<Value>,
  address: string,
  init: RequestInit,
): Promise<Answer<Value>> {
  try {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, patience]) : patience;
    const response = await fetch(address, { ...init, cache: "no-store", signal });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, value: schema.parse(body) };
    const refusal = wireRefusal.safeParse(body);
    return { ok: false, refusal: refusal.success ? refusal.data : null };
  } catch {
    return { ok: false, refusal: null };
  }
}
