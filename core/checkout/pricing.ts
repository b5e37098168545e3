import type { PricingOption } from "#db/tables/catalog.ts";
import { labelOfValidity } from "../catalog/rules.ts";
import { formatPaise, percentOf } from "../money.ts";
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

/** The options of a tool; for a tool without options, an option with the tool's own price and validity. */
export function buyingOptions(tool: PricedTool): PricingOption[] {
  if (tool.pricingOptions.length > 0) return [...tool.pricingOptions];
  return [
    {
      label: labelOfValidity(tool.validityDays),
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
  return byPrice ?? cheapestOption(options);
}

/**
 * The option that is chosen until a buyer chooses another option: the cheapest, and the first of several; null without options.
 */
export function cheapestOption<Option extends { pricePaise: number }>(
  options: readonly Option[],
): Option | null {
  return options.toSorted((a, b) => a.pricePaise - b.pricePaise)[0] ?? null;
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

type Duration = Pick<PricingOption, "pricePaise" | "validityDays">;

/** A smaller saving is not worth a line of the screen. */
const SMALLEST_SAVING_PERCENT = 5;

/**
 * The price of one day as text, rounded to whole paise ("₹5.57").
 *
 * @returns null for a single day, whose price it would repeat, and for a price that rounds to zero
 */
export function formatPricePerDay(option: Duration): string | null {
  if (option.validityDays < 2) return null;
  const paise = Math.round(chargedPaise(option) / option.validityDays);
  return paise === 0 ? null : formatPaise(paise);
}

/**
 * How much less a day of the option costs than a day of the shortest one, in whole percent, rounded down.
 *
 * @returns null below 5 percent, and for the shortest option itself
 */
export function savingPercent(option: Duration, options: readonly Duration[]): number | null {
  const days = Math.min(...options.map(({ validityDays }) => validityDays));
  const shortest = options.filter(({ validityDays }) => validityDays === days);
  const shortestPaise = Math.min(...shortest.map(chargedPaise));
  if (option.validityDays <= days || shortestPaise === 0) return null;
  // Both prices a day over one denominator, so that the percentage is exact.
  const forShortest = shortestPaise * option.validityDays;
  const percent = Math.floor((100 * (forShortest - chargedPaise(option) * days)) / forShortest);
  return percent >= SMALLEST_SAVING_PERCENT ? percent : null;
}

function chargedPaise({ pricePaise }: Duration): number {
  return quotePrice(pricePaise, null).chargedPaise;
}
