import { DAY, HOUR, MINUTE } from "../time.ts";

/**
 * A payment may be authorised days after its attempt. An older order is not polled: only a webhook reports its
 * payments.
 */
const POLL_UNTIL_AGE = 5 * DAY;
/**
 * Most buyers have paid and confirmed by then. The poll finds payments whose browser was closed before it confirmed.
 */
export const FIRST_POLL_AFTER_MS = 3 * MINUTE;
/** The interval after a poll to which the gateway did not respond. */
export const RETRY_AFTER_MS = 2 * MINUTE;
const SHORTEST_INTERVAL = 5 * MINUTE;
const LONGEST_INTERVAL = 12 * HOUR;
/**
 * A lost webhook delays a pass by at most this share of the order's age, and an order is polled about 30 times in all.
 */
const INTERVAL_BY_AGE = 1 / 4;

/**
 * The time of the next poll of an order that was polled just now: after 3 minutes, then every 5 minutes until the order
 * is 20 minutes old, then after a quarter of its age, at most 12 hours, and a last time at the end of the five days. A
 * settled order is polled in the same way: a second payment may arrive, or the owner may refund on the gateway's own
 * pages.
 *
 * @returns null when the five days are over
 */
export function nextPollAt(createdAt: Date, now: Date): Date | null {
  const end = createdAt.getTime() + POLL_UNTIL_AGE;
  if (now.getTime() >= end) return null;
  const age = now.getTime() - createdAt.getTime();
  if (age < FIRST_POLL_AFTER_MS) return new Date(createdAt.getTime() + FIRST_POLL_AFTER_MS);
  const interval = Math.min(Math.max(age * INTERVAL_BY_AGE, SHORTEST_INTERVAL), LONGEST_INTERVAL);
  return new Date(Math.min(now.getTime() + interval, end));
}

/** The time of the next poll of an order about which the gateway refuses requests. The polls never end. */
export function nextPollWithoutEnd(createdAt: Date, now: Date): Date {
  return nextPollAt(createdAt, now) ?? new Date(now.getTime() + LONGEST_INTERVAL);
}
