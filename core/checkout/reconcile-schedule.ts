import { DAY, HOUR, MINUTE } from "../time.ts";

/** Late authorisations happen for days; after that an order is left to webhooks alone. */
const GIVE_UP_AFTER = 5 * DAY;
/** By then most buyers have paid, and a page that was closed has told nothing. */
export const FIRST_CHECK_AFTER_MS = 3 * MINUTE;
/** After a question without an answer. */
export const RETRY_AFTER_MS = 2 * MINUTE;
const SHORTEST_PAUSE = 12 * MINUTE;
/** A second payment of a paid order is rare. */
const PAID_PAUSE = 1 * HOUR;
const LONGEST_PAUSE = 12 * HOUR;

/**
 * When to ask about an order again that was asked about just now: after 3 and 15 minutes, then after its own age, so ever
 * more rarely, and a last time at the end of the five days. A paid one an hour later for the first time.
 *
 * @returns null when those are over
 */
export function nextCheckAt(createdAt: Date, now: Date, order = { paid: false }): Date | null {
  const end = createdAt.getTime() + GIVE_UP_AFTER;
  if (now.getTime() >= end) return null;
  const age = now.getTime() - createdAt.getTime();
  if (!order.paid && age < FIRST_CHECK_AFTER_MS) return new Date(createdAt.getTime() + FIRST_CHECK_AFTER_MS);
  const pause = Math.min(Math.max(age, order.paid ? PAID_PAUSE : SHORTEST_PAUSE), LONGEST_PAUSE);
  return new Date(Math.min(now.getTime() + pause, end));
}

/** The same for an order that the gateway refuses to speak about: it is never given up. */
export function nextCheckOrSeldom(createdAt: Date, now: Date): Date {
  return nextCheckAt(createdAt, now) ?? new Date(now.getTime() + LONGEST_PAUSE);
}
