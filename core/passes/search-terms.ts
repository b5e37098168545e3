import { parseRupees } from "../money.ts";
import { addDays, formatYear, momentOfWallTime } from "../time.ts";

/** An amount that somebody searches, and the day on which it was to be paid. */
export interface SearchedAmount {
  paise: number;
  /** The day in the store's time zone; null: on any day. */
  day: { from: Date; until: Date } | null;
}

const AMOUNT = /^(?:rs\.?\s*|inr\s*)?(₹?\s*[\d,.]+)(?:\s+(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{2}|\d{4}))?)?$/i;
/** What a column of amounts holds. */
const MOST_PAISE = 2 ** 31 - 1;

/**
 * Reads "149", "₹1,499.50" or "149 27/11": day and month, with or without the year. Without it, the last such day is meant.
 *
 * @returns null for any other text
 */
export function parseSearchedAmount(q: string, now: Date, timeZone: string): SearchedAmount | null {
  const [, amount = "", day, month, year] = AMOUNT.exec(q.trim()) ?? [];
  const paise = parseRupees(amount);
  if (paise === null || paise > MOST_PAISE) return null;
  if (day === undefined || month === undefined) return { paise, day: null };
  const thisYear = Number(formatYear(now, timeZone));
  const years = year === undefined ? [thisYear, thisYear - 1] : [Number(year.padStart(4, "20"))];
  const days = years.map((one) => new Date(Date.UTC(one, Number(month) - 1, Number(day))));
  const starts = days
    // The 31st of a shorter month is no day.
    .filter((date) => date.getUTCDate() === Number(day) && date.getUTCMonth() === Number(month) - 1)
    .map((date) => ({
      from: momentOfWallTime(date.getTime(), timeZone),
      until: momentOfWallTime(addDays(date, 1).getTime(), timeZone),
    }));
  const found = year === undefined ? starts.find(({ from }) => from <= now) : starts[0];
  return found ? { paise, day: found } : null;
}
