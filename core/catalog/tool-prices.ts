import type { PricingOption } from "#db/tables/catalog.ts";

/** What a tool costs, as the database stores it. Paise, days. */
export interface ToolPrices {
  pricePaise: number;
  originalPricePaise: number | null;
  validityDays: number;
  /** Shortest validity first. */
  pricingOptions: PricingOption[];
}

/** With options, price and validity of the tool are those of its cheapest option: the catalogue shows them as "from". */
export function toToolPrices(own: Omit<ToolPrices, "pricingOptions">, options: PricingOption[]): ToolPrices {
  const pricingOptions = options.toSorted((a, b) => a.validityDays - b.validityDays);
  const [cheapest] = pricingOptions.toSorted((a, b) => a.pricePaise - b.pricePaise);
  const { pricePaise, originalPricePaise, validityDays } = cheapest ?? own;
  return { pricePaise, originalPricePaise, validityDays, pricingOptions };
}

/** The label of an option that has none of its own: "1 Day", "30 Days". */
export function labelOfValidity(days: number): string {
  return days === 1 ? "1 Day" : `${days} Days`;
}
