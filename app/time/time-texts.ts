import { labelOfValidity } from "#core/catalog/rules.ts";
import { formatDays, splitTimeLeft } from "#core/time.ts";
import { plural, t } from "../ui/texts/texts.ts";

/** "1 day", "7 days". */
export function daysText(days: number): string {
  return plural(days, "{count} day", "{count} days");
}

/** The label of a pricing option, in the owner's words. A label that only says the days is in the language of the page. */
export function optionLabel(option: {
  label: string;
  validityDays: number;
  shownLabel?: string | undefined;
}): string {
  const { label, validityDays, shownLabel } = option;
  if (shownLabel !== undefined) return shownLabel;
  if (label === labelOfValidity(validityDays)) return plural(validityDays, "{count} Day", "{count} Days");
  return label === formatDays(validityDays) ? daysText(validityDays) : label;
}

/** "18 days", "5 h 20 min", "12 min" or "40 s". */
export function timeLeftText(until: Date, now: Date): string {
  const parts = splitTimeLeft(until, now);
  if ("days" in parts) return daysText(parts.days);
  if ("hours" in parts) return t("{hours} h {minutes} min", parts);
  return "minutes" in parts ? t("{minutes} min", parts) : t("{seconds} s", parts);
}
