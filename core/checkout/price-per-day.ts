import type { PricingOption } from "#db/tables/catalog.ts";
import { formatPaise } from "../money.ts";
import { quotePrice } from "./pricing.ts";

type Duration = Pick<PricingOption, "pricePaise" | "validityDays">;

const TEN_RUPEES = 1000;
/** A smaller saving is not worth a line of the screen. */
const SMALLEST_SAVING_PERCENT = 5;

/**
 * The price of one day as text: rounded to 10 paise below ₹10 ("₹5.60"), to rupees from ₹10 ("₹21").
 *
 * @returns null for a single day, whose price says it already, and for a price that rounds to nothing
 */
export function formatPricePerDay(option: Duration): string | null {
  if (option.validityDays < 2) return null;
  const paise = chargedPaise(option) / option.validityDays;
  const toTenPaise = Math.round(paise / 10) * 10;
  const rounded = toTenPaise < TEN_RUPEES ? toTenPaise : Math.round(paise / 100) * 100;
  return rounded === 0 ? null : formatPaise(rounded);
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
