import type { DomainError } from "#core/errors.ts";
import type { LimitName } from "#core/rate-limits.ts";
import { LIMITS } from "#core/rate-limits.ts";

export type Details = DomainError["details"];

/** How a refusal is reported: its HTTP status and its message for a person. */
export interface MessageRule {
  status: number;
  message: string | ((details: Details) => string);
  /** The form field that the message is shown under. */
  field?: string;
}

/** The refusal of a limit: what there was too much of, and when its window has ended. */
export function refusalOf(name: LimitName, attempts: string, field?: string): MessageRule {
  const message = `Too many ${attempts}. Please try again in ${formatWindow(LIMITS[name].windowSeconds)}.`;
  return field === undefined ? { status: 429, message } : { status: 429, message, field };
}

/** A time as part of a sentence: "a minute", "10 minutes", "an hour", "2 hours". */
function formatWindow(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours === 1 ? "an hour" : `${hours} hours`;
}
