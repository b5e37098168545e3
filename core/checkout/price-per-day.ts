import type { PricingOption } from "#db/tables/catalog.ts";
import { formatPaise } from "../money.ts";
import { quotePrice } from "./pricing.ts";

type Duration = Pick<PricingOption, "pricePaise" | "validityDays">;

/** A smaller saving is not worth a line of the screen. */
const SMALLEST_SAVING_PERCENT = 5;

/**
 * The price of one day as text, rounded to whole paise ("₹5.57").
 *
 * @returns null for a single day, whose price says it already, and for a price that rounds to nothing
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
