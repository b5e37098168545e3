import type { PricingOption } from "#db/tables/catalog.ts";

/** The prices of a tool. Paise, days. With options, what is charged comes from the options only. */
export interface ToolPrices {
  pricePaise: number;
  originalPricePaise: number | null;
  validityDays: number;
  /** Shortest validity first. */
  pricingOptions: PricingOption[];
}

/** The shortest validity first. */
export function sortOptions(options: readonly PricingOption[]): PricingOption[] {
  return options.toSorted((a, b) => a.validityDays - b.validityDays);
}

/** The first of those with the lowest price. */
export function findCheapestOption(options: readonly PricingOption[]): PricingOption | undefined {
  return options.toSorted((a, b) => a.pricePaise - b.pricePaise)[0];
}

/**
 * A tool as the shop offers it: with options, price and validity are those of the cheapest one, which the catalogue shows
 * as "from", and not those that the tool itself has.
 */
export function toOfferedPrices<Tool extends ToolPrices>(tool: Tool): Tool {
  const { pricePaise, originalPricePaise, validityDays } = findCheapestOption(tool.pricingOptions) ?? tool;
  return { ...tool, pricePaise, originalPricePaise, validityDays };
}

/** The label of an option that has none of its own: "1 Day", "30 Days". */
export function labelOfValidity(days: number): string {
  return days === 1 ? "1 Day" : `${days} Days`;
}
