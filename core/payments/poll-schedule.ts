import { DAY, HOUR, MINUTE } from "../time.ts";

/** Late authorisations happen for days; after that an order is left to webhooks alone. */
const GIVE_UP_AFTER = 5 * DAY;
/** By then most buyers have paid, and a page that was closed has told nothing. */
export const FIRST_POLL_AFTER_MS = 3 * MINUTE;
/** After a question without an answer. */
export const RETRY_AFTER_MS = 2 * MINUTE;
const SHORTEST_PAUSE = 5 * MINUTE;
const LONGEST_PAUSE = 12 * HOUR;
/** A webhook that was lost costs at most this part of the order's age, and an order about 30 questions in all. */
const PAUSE_BY_AGE = 1 / 4;

/**
 * When to ask about an order again that was asked about just now: after 3 minutes, then every 5 minutes until the order is
 * 20 minutes old, then after a quarter of its age, at most 12 hours, and a last time at the end of the five days. A settled
 * order is asked about in the same way: a second payment may arrive, or the owner may refund at the gateway.
 *
 * @returns null when those are over
 */
export function nextPollAt(createdAt: Date, now: Date): Date | null {
  const end = createdAt.getTime() + GIVE_UP_AFTER;
  if (now.getTime() >= end) return null;
  const age = now.getTime() - createdAt.getTime();
  if (age < FIRST_POLL_AFTER_MS) return new Date(createdAt.getTime() + FIRST_POLL_AFTER_MS);
  const pause = Math.min(Math.max(age * PAUSE_BY_AGE, SHORTEST_PAUSE), LONGEST_PAUSE);
  return new Date(Math.min(now.getTime() + pause, end));
}

/** The same for an order that the gateway refuses to speak about: it is never given up. */
export function nextPollWithoutEnd(createdAt: Date, now: Date): Date {
  return nextPollAt(createdAt, now) ?? new Date(now.getTime() + LONGEST_PAUSE);
}
