import { DAY, MINUTE } from "#core/time.ts";

const FIRST_PAUSES = [1_000, 2_000, 5_000, 15_000, 60_000];
const LATER_PAUSE = 5 * MINUTE;

/** When a webhook that was not taken is tried again. @param tries how often it was tried, at least 1
 * @returns null when a day has passed: then only a restart tries again */
export function nextTry(tries: number, createdAt: Date, now: Date): Date | null {
  if (now.getTime() - createdAt.getTime() >= DAY) return null;
  return new Date(now.getTime() + (FIRST_PAUSES[tries - 1] ?? LATER_PAUSE));
}
