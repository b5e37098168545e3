import type { PricingOption } from "#db/tables/catalog.ts";
import { percentOf } from "../money.ts";
import { MINIMUM_CHARGE_PAISE } from "../payments/payment-gateway.ts";
import { formatDays } from "../time.ts";

/** The part of a tool that decides its options and prices. Paise, days. */
export interface PricedTool {
  pricePaise: number;
  originalPricePaise: number | null;
  validityDays: number;
  pricingOptions: readonly PricingOption[];
}

/** Whether the name of an option says no more than its days do, such as "30 Days"; also without a name. */
export function isNamedByDays(option: { optionLabel: string | null; validityDays: number }): boolean {
  return option.optionLabel === null || option.optionLabel.toLowerCase() === formatDays(option.validityDays);
}

/** The options of a tool; for a tool without options, one with the tool's own price and validity. */
export function buyingOptions(tool: PricedTool): PricingOption[] {
  if (tool.pricingOptions.length > 0) return [...tool.pricingOptions];
  return [
    {
      label: tool.validityDays === 1 ? "1 Day" : `${tool.validityDays} Days`,
      validityDays: tool.validityDays,
      pricePaise: tool.pricePaise,
      originalPricePaise: tool.originalPricePaise,
    },
  ];
}

/**
 * The option with this label. Without a label: the option at the tool's own price, else the cheapest.
 *
 * @returns null for an unknown label
 */
export function chooseOption(tool: PricedTool, label: string | null): PricingOption | null {
  const options = buyingOptions(tool);
  if (label !== null) return options.find((option) => option.label === label) ?? null;
  const byPrice = options.find((option) => option.pricePaise === tool.pricePaise);
  return byPrice ?? options.toSorted((a, b) => a.pricePaise - b.pricePaise)[0] ?? null;
}

/** What a buyer pays for an option, in paise. */
export interface Quote {
  listPricePaise: number;
  discountPaise: number;
  /** 0: nothing is charged and no gateway is asked. */
  chargedPaise: number;
  /** The price is below the gateway's minimum, so that the minimum is charged. */
  raisedToMinimum: boolean;
}

/** The price of an option with a discount in percent. The screens and the payment order both use it. */
export function quotePrice(listPricePaise: number, discountPercentage: number | null): Quote {
  const discountPaise = Math.min(listPricePaise, percentOf(listPricePaise, discountPercentage ?? 0));
  const price = listPricePaise - discountPaise;
  const chargedPaise = price === 0 ? 0 : Math.max(price, MINIMUM_CHARGE_PAISE);
  return { listPricePaise, discountPaise, chargedPaise, raisedToMinimum: chargedPaise > price };
}
