import { formatLocalDateTime, parseLocalDateTime } from "../local-time.ts";
import { addDays } from "../time.ts";

/** How long the pass of a giveaway lasts unless the owner sets another validity. */
export const DEFAULT_VALIDITY_DAYS = 1;

/** How many of the past winners the shop lists. */
export const WINNERS_LISTED = 30;

/** Whole days in UTC, for counting calendar days. */
const toUtcDay = (date: Date, timeZone: string) =>
  new Date(`${formatLocalDateTime(date, timeZone).slice(0, 10)}T00:00:00Z`);

/** 00:00 of a calendar day in the time zone; right before or after it on a day whose clocks skip 00:00. */
function startOfDay(utcDay: Date, timeZone: string): Date {
  const midnight = parseLocalDateTime(`${utcDay.toISOString().slice(0, 10)}T00:00`, timeZone);
  if (midnight === null) throw new Error(`${utcDay.toISOString()} is no day of the calendar`);
  return midnight;
}

/** The day of the store that contains `now`, from 00:00 to 24:00. The next one begins when it ends. */
export function dayOf(now: Date, timeZone: string): { startsAt: Date; endsAt: Date } {
  const day = toUtcDay(now, timeZone);
  const starts = [-1, 0, 1, 2].map((days) => startOfDay(addDays(day, days), timeZone));
  const at = starts.findLastIndex((start) => start <= now);
  const [startsAt, endsAt] = [starts[at], starts[at + 1]];
  if (startsAt === undefined || endsAt === undefined) throw new Error(`no day contains ${now.toISOString()}`);
  return { startsAt, endsAt };
}
