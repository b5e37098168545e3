import { DAY, HOUR } from "../time.ts";

export interface Day {
  /** YYYY-MM-DD in the store's time zone. */
  date: string;
  startsAt: Date;
}

/** The last `count` days with the day of `now`, oldest first, in a time zone. */
export function daysUntil(now: Date, count: number, timeZone: string): Day[] {
  const options = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  // The Canadian form is YYYY-MM-DD.
  const format = new Intl.DateTimeFormat("en-CA", options);
  const dateAt = (at: Date) => format.format(at);
  const days: Day[] = [];
  let startsAt = startOfDay(now, dateAt);
  for (let left = count; left > 0; left--) {
    days.unshift({ date: dateAt(startsAt), startsAt });
    // This moment is in the day before, whether that day has 23, 24 or 25 hours.
    startsAt = startOfDay(new Date(startsAt.getTime() - HOUR), dateAt);
  }
  return days;
}

const QUARTER = HOUR / 4;
/** Longer than any day. */
const LONGEST_DAY = DAY + 3 * HOUR;

/** The first moment of the day of `at`. Days begin at full quarters of an hour of UTC in every time zone. */
function startOfDay(at: Date, dateAt: (at: Date) => string): Date {
  const date = dateAt(at);
  let within = Math.floor(at.getTime() / QUARTER);
  let before = within - LONGEST_DAY / QUARTER;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dateAt(new Date(middle * QUARTER)) === date) within = middle;
    else before = middle;
  }
  return new Date(within * QUARTER);
}
