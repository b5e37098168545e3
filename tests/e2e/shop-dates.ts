/*
 * Dates as the pages show them, in the time zone of the shop. Not by the shop's own functions, which the journeys test.
 */

const dateFormat = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Asia/Kolkata",
  day: "2-digit",
  month: "2-digit",
  year: "2-digit",
});
const timeFormat = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Asia/Kolkata",
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** A day, such as "05/12/26". */
export const shopDate = (date: Date | number): string => dateFormat.format(date);

/** What the purchase dialog says about the end of access, such as "Access until Sat 05/12/26, 01:21". */
export function accessUntil(end: Date | number): string {
  const [weekday, time] = timeFormat.format(end).split(/,? /);
  return `Access until ${weekday} ${shopDate(end)}, ${time}`;
}
