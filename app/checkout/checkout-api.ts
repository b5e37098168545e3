import {
  type CheckoutOffer,
  type CheckoutStatus,
  checkoutStatusSchema,
  couponSchema,
  offerSchema,
  type PaymentProof,
  type ResponseSchema,
  refusalSchema,
  type StartedCheckout,
  startedCheckoutSchema,
  type ValidCoupon,
} from "./endpoints/api-schemas.ts";
import type { RequestedTool } from "./purchase-request.ts";

/** The value, or the shop's refusal; `refusal` is null when no readable response arrived. */
export type ApiResult<Value> =
  | { ok: true; value: Value }
  | { ok: false; refusal: { code: string; message: string } | null };

export interface CheckoutApi {
  offer(tool: RequestedTool, signal: AbortSignal): Promise<ApiResult<CheckoutOffer>>;
  coupon(input: { slug: string; code: string }, signal: AbortSignal): Promise<ApiResult<ValidCoupon>>;
  start(input: {
    slug: string;
    option: string | null;
    coupon: string | null;
  }): Promise<ApiResult<StartedCheckout>>;
  confirm(proof: PaymentProof): Promise<ApiResult<CheckoutStatus>>;
  cancel(purchaseId: string): Promise<ApiResult<CheckoutStatus>>;
  status(purchaseId: string, signal: AbortSignal): Promise<ApiResult<CheckoutStatus>>;
}

/** Longer than the server waits for the gateway. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Calls the checkout endpoints from the browser. Never throws. */
export const checkoutApi: CheckoutApi = {
  offer: (tool, signal) => {
    const query = new URLSearchParams({ tool: tool.slug ?? tool.name });
    return send(offerSchema, `/checkout/offer?${query}`, { signal });
  },
  coupon: (input, signal) => send(couponSchema, "/checkout/coupon", { ...post(input), signal }),
  start: (input) => send(startedCheckoutSchema, "/checkout/start", post(input)),
  confirm: (proof) => send(checkoutStatusSchema, "/checkout/confirm", { ...post(proof), keepalive: true }),
  // `keepalive`: the hold is released even when the buyer leaves the page meanwhile.
  cancel: (purchaseId) =>
    send(checkoutStatusSchema, "/checkout/cancel", { ...post({ purchaseId }), keepalive: true }),
  status: (purchaseId, signal) => {
    const query = new URLSearchParams({ purchaseId });
    return send(checkoutStatusSchema, `/checkout/status?${query}`, { signal });
  },
};

function post(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function send<Value>(
  schema: ResponseSchema<Value>,
  path: string,
  init: RequestInit,
): Promise<ApiResult<Value>> {
  try {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const response = await fetch(path, { ...init, cache: "no-store", signal });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, value: schema.parse(body) };
    const refusal = refusalSchema.safeParse(body);
    return { ok: false, refusal: refusal.success ? refusal.data : null };
  } catch {
    return { ok: false, refusal: null };
  }
}
