import { SMALLEST_CHARGE_PAISE } from "#core/checkout/limits.ts";
import type { CheckoutState } from "./checkout-state.ts";
import type { BuyingOption } from "./wire.ts";

/** What an option costs in the end, in paise: the gateway takes no less than ₹1. */
export function chargedPaise(option: BuyingOption): number {
  return Math.max(option.pricePaise, SMALLEST_CHARGE_PAISE);
}

/** The option the buyer has before them; null while there is no offer. */
export function chosenOption(state: Pick<CheckoutState, "offer" | "optionLabel">): BuyingOption | null {
  return state.offer?.options.find(({ label }) => label === state.optionLabel) ?? null;
}
