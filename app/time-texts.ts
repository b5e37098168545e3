import { labelOfValidity } from "#core/catalog/rules.ts";
import { formatDays, splitTimeLeft } from "#core/time.ts";
import { type Message, plural, t } from "./ui/texts/texts.ts";

/** The texts of a number of days and of the time that is left. */
export const TIME_TEXTS = {
  day: "{count} day",
  days: "{count} days",
  hours: "{hours} h {minutes} min",
  minutes: "{minutes} min",
  seconds: "{seconds} s",
} as const satisfies Record<string, Message>;

/** "1 day", "7 days". */
export function daysText(days: number): string {
  return plural(days, TIME_TEXTS.day, TIME_TEXTS.days);
}

/** The label of a pricing option, in the owner's words. One that only says the days is in the language of the page. */
export function optionLabel({ label, validityDays }: { label: string; validityDays: number }): string {
  if (label === labelOfValidity(validityDays)) return plural(validityDays, "{count} Day", "{count} Days");
  return label === formatDays(validityDays) ? daysText(validityDays) : label;
}

/** "18 days", "5 h 20 min", "12 min" or "40 s". */
export function timeLeftText(until: Date, now: Date): string {
  const parts = splitTimeLeft(until, now);
  if ("days" in parts) return daysText(parts.days);
  if ("hours" in parts) return t(TIME_TEXTS.hours, parts);
  return "minutes" in parts ? t(TIME_TEXTS.minutes, parts) : t(TIME_TEXTS.seconds, parts);
}
