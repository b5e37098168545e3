export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The source of the time for operations; tests replace it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** `days` whole days of 24 hours after `from`. */
export function addDays(from: Date, days: number): Date {
  return new Date(from.getTime() + days * DAY);
}

const dateFormats = formatsByZone({ day: "2-digit", month: "2-digit", year: "2-digit" });
const timeFormats = formatsByZone({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const yearFormats = formatsByZone({ year: "numeric" });

/** One format for each time zone, because making one takes longer than a hundred uses. */
function formatsByZone(options: Intl.DateTimeFormatOptions): (timeZone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone) => {
    const known = formats.get(timeZone);
    if (known !== undefined) return known;
    const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
    formats.set(timeZone, format);
    return format;
  };
}

/** dd/mm/yy in the given time zone. */
export function formatDate(date: Date, timeZone: string): string {
  const parts = dateFormats(timeZone).formatToParts(date);
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? "";
  return `${part("day")}/${part("month")}/${part("year")}`;
}

/** hh:mm in the given time zone, with a 24-hour clock. */
export function formatTime(date: Date, timeZone: string): string {
  return timeFormats(timeZone).format(date);
}

/** The four digits of the year in the given time zone. */
export function formatYear(date: Date, timeZone: string): string {
  return yearFormats(timeZone).format(date);
}

/** dd/mm/yy, hh:mm in the given time zone, with a 24-hour clock. */
export function formatDateTime(date: Date, timeZone: string): string {
  return `${formatDate(date, timeZone)}, ${formatTime(date, timeZone)}`;
}

// The shop sells 3,650 days at most, so a later end stands for none: the old shop wrote 2099 or 9999 for a lifetime. A fixed
// moment, so that a pass never changes between an end and no end.
const NO_END_FROM = Date.UTC(2076, 0, 1);

/** Whether the end of a pass stands for none, as the end of a lifetime pass does. */
export function hasNoEnd(end: Date): boolean {
  return end.getTime() >= NO_END_FROM;
}

/** What `formatEnd` says instead of a time. */
export const NO_END = "No end";

/** The end of a pass as dd/mm/yy, hh:mm in the given time zone, or `NO_END`. */
export function formatEnd(end: Date, timeZone: string): string {
  return hasNoEnd(end) ? NO_END : formatDateTime(end, timeZone);
}

/** "1 day", "7 days". */
export function formatDays(days: number): string {
  return counted(days, "day");
}

const counted = (n: number, unit: string) => `${n} ${unit}${n === 1 ? "" : "s"}`;

/** A time that is left, in the units that it is shown in. */
export type TimeLeftParts =
  | { days: number }
  | { hours: number; minutes: number }
  | { minutes: number }
  | { seconds: number };

/**
 * Splits the time left. Days are rounded to the nearest, hours and minutes down, seconds up; 0 seconds only when `until` has
 * passed.
 */
export function splitTimeLeft(until: Date, now: Date): TimeLeftParts {
  const left = Math.max(0, until.getTime() - now.getTime());
  // Rounded to the nearest day, so that a pass of 7 days shows 7 days right after it was bought.
  if (left >= DAY) return { days: Math.round(left / DAY) };
  const minutes = Math.floor((left % HOUR) / MINUTE);
  if (left >= HOUR) return { hours: Math.floor(left / HOUR), minutes };
  if (left >= MINUTE) return { minutes };
  return { seconds: Math.min(59, Math.ceil(left / 1000)) };
}

/** "18 days", "5 h 20 min", "12 min" or "40 s". */
export function formatTimeLeft(until: Date, now: Date): string {
  const parts = splitTimeLeft(until, now);
  if ("days" in parts) return counted(parts.days, "day");
  if ("hours" in parts) return `${parts.hours} h ${parts.minutes} min`;
  return "minutes" in parts ? `${parts.minutes} min` : `${parts.seconds} s`;
}

/** A day of the calendar, without a time zone. `month` is 1 to 12. */
export interface CalendarDay {
  year: number;
  month: number;
  day: number;
}

/** 23:59:59 of a day in the given time zone. */
export function endOfDay({ year, month, day }: CalendarDay, timeZone: string): Date {
  return momentOfWallTime(Date.UTC(year, month - 1, day, 23, 59, 59), timeZone);
}

/**
 * The moment at which the clocks of a time zone show a time. In the hour that clocks skip in spring, a moment right before
 * or after it.
 *
 * @param wallTime what the clocks show, as `Date.UTC` counts it
 */
export function momentOfWallTime(wallTime: number, timeZone: string): Date {
  // The offset at the first guess can belong to the other side of a change of the clocks; the second one is right.
  const guess = wallTime - offsetAt(wallTime, timeZone);
  return new Date(wallTime - offsetAt(guess, timeZone));
}

const wallTimeFormats = formatsByZone({
  calendar: "iso8601",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** How far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = wallTimeFormats(timeZone).formatToParts(moment);
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value);
  const wallTime = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return wallTime - Math.floor(moment / 1000) * 1000;
}

/** What the clocks of a time zone show at a moment. */
export function wallTimeAt(moment: Date, timeZone: string): CalendarDay & { hour: number } {
  const wall = new Date(moment.getTime() + offsetAt(moment.getTime(), timeZone));
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    hour: wall.getUTCHours(),
  };
}

/** Minutes are the unit of a browser's date-time field: "2026-12-31T23:59". */
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,3})?)?$/;

/** "2026-12-31T23:59" on the clocks of this time zone, as a browser's date-time field has it. */
export function formatLocalDateTime(date: Date, timeZone: string): string {
  const [day, time] = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  })
    .format(date)
    .split(" ");
  return `${day}T${time}`;
}

/**
 * The moment at which the clocks of this time zone show a text such as "2026-12-31T23:59". Seconds are ignored. In the
 * hour that clocks skip in spring, a moment right before or after it.
 *
 * @returns null when the text is not a calendar date with a time
 */
export function parseLocalDateTime(text: string, timeZone: string): Date | null {
  const match = LOCAL.exec(text.trim());
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1, 6).map(Number);
  const wanted = Date.UTC(year, month - 1, day, hour, minute);
  const asUtc = `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}`;
  if (year < 1970 || formatLocalDateTime(new Date(wanted), "UTC") !== asUtc) return null;
  return momentOfWallTime(wanted, timeZone);
}
