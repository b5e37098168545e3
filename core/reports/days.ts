import { DAY, HOUR } from "../time.ts";

export interface Day {
  /** YYYY-MM-DD in the store's time zone. */
  date: string;
  startsAt: Date;
}

export interface DayOfSales extends Day {
  sales: number;
  revenuePaise: number;
}

/** The last `count` days with the day of `now`, oldest first, in a time zone. */
export function daysUntil(now: Date, count: number, timeZone: string): Day[] {
  const days: Day[] = [];
  let startsAt = startOfDay(now, timeZone);
  for (let left = count; left > 0; left--) {
    days.unshift({ date: dateIn(startsAt, timeZone), startsAt });
    // Days of 23 and of 25 hours exist, so this is a moment of the day before, whatever its length.
    startsAt = startOfDay(new Date(startsAt.getTime() - HOUR), timeZone);
  }
  return days;
}

/** Adds up sales by day. `at` is a moment of the sales' quarter of an hour. */
export function salesByDay(
  days: readonly Day[],
  quarters: readonly { at: Date; sales: number; revenuePaise: number }[],
): DayOfSales[] {
  const byDay = days.map((day) => ({ ...day, sales: 0, revenuePaise: 0 }));
  for (const { at, sales, revenuePaise } of quarters) {
    const day = byDay.findLast(({ startsAt }) => startsAt <= at);
    if (day === undefined) continue;
    day.sales += sales;
    day.revenuePaise += revenuePaise;
  }
  return byDay;
}

function dateIn(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return parts.format(at);
}

/** The first moment of the day. Zones differ from UTC by quarters of an hour. */
function startOfDay(at: Date, timeZone: string): Date {
  const date = dateIn(at, timeZone);
  const quarter = HOUR / 4;
  let later = Math.floor(at.getTime() / quarter);
  let earlier = later - Math.ceil((DAY + 2 * HOUR) / quarter);
  // Invariant: `earlier` is on a day before, `later` on the day itself.
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (dateIn(new Date(middle * quarter), timeZone) === date) later = middle;
    else earlier = middle;
  }
  return new Date(later * quarter);
}
