import { MINUTE } from "../time.ts";

/** The waits after the first, second, … refusal of a mail: about a day together. */
const WAITS_MINUTES = [1, 5, 30, 120, 360, 960];

/** The wait when the connection failed, or the server accepted nothing from this shop, and this is no try of the mail. */
export const SERVER_WAIT_MS = MINUTE;

/** @param tries how often the mail was refused @returns null when it is not tried again */
export function nextTryAfter(tries: number, now: Date): Date | null {
  const minutes = WAITS_MINUTES[tries - 1];
  return minutes === undefined ? null : new Date(now.getTime() + minutes * MINUTE);
}
