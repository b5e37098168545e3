import type { PricingOption } from "#db/tables/catalog.ts";

/** The part of a tool that decides what may be bought for how much. Paise, days. */
export interface PricedTool {
  pricePaise: number;
  originalPricePaise: number | null;
  validityDays: number;
  pricingOptions: readonly PricingOption[];
}

/** The ways to buy a tool: its options, or the tool's own price and validity as the only one. */
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
 * The option with this label; the one at the tool's own price (else the cheapest) when no label is given.
 *
 * @returns null for a label the tool does not have
 */
export function chooseOption(tool: PricedTool, label: string | null): PricingOption | null {
  const options = buyingOptions(tool);
  if (label !== null) return options.find((option) => option.label === label) ?? null;
  const byPrice = options.find((option) => option.pricePaise === tool.pricePaise);
  return byPrice ?? options.toSorted((a, b) => a.pricePaise - b.pricePaise)[0] ?? null;
}
