import { type Quote, quotePrice } from "#core/checkout/pricing.ts";
import type { BuyingOption } from "../endpoints/api-schemas.ts";
import type { CheckoutState } from "./checkout-state.ts";

/** The option the buyer has before them; null while there is no offer. */
export function chosenOption(state: Pick<CheckoutState, "offer" | "optionLabel">): BuyingOption | null {
  return state.offer?.options.find(({ label }) => label === state.optionLabel) ?? null;
}

/** What the chosen option costs with the coupon that is applied; the shop charges exactly this or shows a new price. */
export function shownQuote(state: Pick<CheckoutState, "offer" | "optionLabel" | "coupon">): Quote | null {
  const option = chosenOption(state);
  const { coupon } = state;
  if (!option) return null;
  return quotePrice(option.pricePaise, coupon.name === "applied" ? coupon.discountPercentage : null);
}
