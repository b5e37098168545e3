export const MINUTE = 60_000;
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

/** dd/mm/yy in the given time zone. */
export function formatDate(date: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "2-digit",
    month: "2-digit",
    year: "2-digit",
  }).formatToParts(date);
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? "";
  return `${part("day")}/${part("month")}/${part("year")}`;
}

/** dd/mm/yy, hh:mm in the given time zone, with a 24-hour clock. */
export function formatDateTime(date: Date, timeZone: string): string {
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(date);
  return `${formatDate(date, timeZone)}, ${time}`;
}

const counted = (n: number, unit: string) => `${n} ${unit}${n === 1 ? "" : "s"}`;

/** "18 days", "5 h 20 min", "12 min" or "40 s"; "0 s" only when `until` has passed. */
export function formatTimeLeft(until: Date, now: Date): string {
  const left = Math.max(0, until.getTime() - now.getTime());
  // Rounded to the nearest day, so that a pass of 7 days shows 7 days right after it was bought.
  if (left >= DAY) return counted(Math.round(left / DAY), "day");
  if (left >= HOUR) return `${Math.floor(left / HOUR)} h ${Math.floor((left % HOUR) / MINUTE)} min`;
  if (left >= MINUTE) return `${Math.floor(left / MINUTE)} min`;
  return `${Math.min(59, Math.ceil(left / 1000))} s`;
}
