import { offsetAt } from "./time.ts";

/** Minutes are the unit of a browser's date-time field: "2026-12-31T23:59". */
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,3})?)?$/;

/** "2026-12-31T23:59" on the clocks of this time zone, as a browser's date-time field has it. */
export function formatLocalDateTime(date: Date, timeZone: string): string {
  const [day, time] = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
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
  // The offset of the zone depends on the moment that is looked for, so the first guess is corrected once more.
  let moment = wanted;
  for (let round = 0; round < 2; round++) moment = wanted - offsetAt(moment, timeZone);
  return new Date(moment);
}
