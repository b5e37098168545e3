import { formatDate } from "#core/time.ts";

/** DD-MM-YYYY in the given time zone, as the form for an expiry date reads it. */
export function formatDay(date: Date, timeZone: string): string {
  const [day, month] = formatDate(date, timeZone).split("/");
  const year = new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric" }).format(date);
  return `${day}-${month}-${year}`;
}
