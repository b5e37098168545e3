import { addDays, DAY, HOUR, momentOfWallTime, wallTimeAt } from "../time.ts";

/** days-before: three days before a long pass ends, one day before a shorter one. last-day: of long passes. */
export type ReminderKind = "days-before" | "last-day";

/** Buyers are mailed in these hours only, on the clocks of the store. */
const FIRST_HOUR = 9;
const END_HOUR = 20;

/** Days from which a pass is long, and from which it is reminded of at all. */
export const LONG_PASS = 14;
export const SHORTEST_PASS = 5;

/** No reminder is due earlier than this before an end. */
export const EARLIEST_REMINDER_DAYS = 4;

/** Whether a mail may be sent now. */
export function isReminderHour(now: Date, timeZone: string): boolean {
  const { hour } = wallTimeAt(now, timeZone);
  return hour >= FIRST_HOUR && hour < END_HOUR;
}

/** The end of the hours of this day in which mails may be sent. */
export function endOfReminderHours(now: Date, timeZone: string): Date {
  const { year, month, day } = wallTimeAt(now, timeZone);
  return momentOfWallTime(Date.UTC(year, month - 1, day, END_HOUR), timeZone);
}

/**
 * The reminder of a pass that is due; null: none. After the last day has begun, only that one is. What was due before `since` stays
 * unsent: when reminders are turned on, nobody is mailed about the past.
 */
export function dueReminder(
  { startsAt, expiresAt }: { startsAt: Date; expiresAt: Date },
  { now, since, timeZone }: { now: Date; since: Date; timeZone: string },
): ReminderKind | null {
  const days = Math.round((expiresAt.getTime() - startsAt.getTime()) / DAY);
  if (days < SHORTEST_PASS || expiresAt <= now) return null;
  const isLong = days >= LONG_PASS;
  // A pass that ends in the morning is reminded of on the day before, so that there is time to act.
  const lastDay = morningOf(new Date(expiresAt.getTime() - 12 * HOUR), timeZone);
  const daysBefore = morningOf(addDays(expiresAt, isLong ? -3 : -1), timeZone);
  const [kind, dueAt]: [ReminderKind, Date] =
    isLong && lastDay <= now ? ["last-day", lastDay] : ["days-before", daysBefore];
  return dueAt <= now && dueAt >= since ? kind : null;
}

/** The first hour of the day of a moment in which a mail may be sent. */
function morningOf(moment: Date, timeZone: string): Date {
  const { year, month, day } = wallTimeAt(moment, timeZone);
  return momentOfWallTime(Date.UTC(year, month - 1, day, FIRST_HOUR), timeZone);
}
