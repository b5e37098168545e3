import { DAY, HOUR, MINUTE } from "../time.ts";

/** Late authorisations happen for days; after that an order is left to webhooks alone. */
const GIVE_UP_AFTER = 5 * DAY;
/** An order is paid, if at all, within minutes: until then its buyer's browser and the webhook tell. */
export const FIRST_CHECK_AFTER_MS = 15 * MINUTE;
const SELDOMEST = 12 * HOUR;

/**
 * When to ask about an order again that was asked about just now: after its own age, so ever more rarely, and a last
 * time at the end of the five days.
 *
 * @returns null when those are over
 */
export function nextCheckAt(createdAt: Date, now: Date): Date | null {
  const end = createdAt.getTime() + GIVE_UP_AFTER;
  if (now.getTime() >= end) return null;
  const age = now.getTime() - createdAt.getTime();
  const pause = Math.min(Math.max(age, FIRST_CHECK_AFTER_MS), SELDOMEST);
  return new Date(Math.min(now.getTime() + pause, end));
}
