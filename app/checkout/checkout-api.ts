import { type ApiResult, callShop, postJson } from "../connection/shop-api.ts";
import {
  type CheckoutOffer,
  type CheckoutStatus,
  checkoutStatusSchema,
  couponSchema,
  offerSchema,
  type PaymentProof,
  type StartedCheckout,
  startedCheckoutSchema,
  type ValidCoupon,
} from "./endpoints/api-schemas.ts";
import type { RequestedTool } from "./purchase-request.ts";

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

/** Calls the checkout endpoints from the browser. Never rejects. */
export const checkoutApi: CheckoutApi = {
  offer: (tool, signal) => {
    const query = new URLSearchParams({ tool: tool.slug ?? tool.name });
    return callShop(offerSchema, `/checkout/offer?${query}`, { signal });
  },
  coupon: (input, signal) => callShop(couponSchema, "/checkout/coupon", { ...postJson(input), signal }),
  start: (input) => callShop(startedCheckoutSchema, "/checkout/start", postJson(input)),
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
