import type { Clock } from "#core/time.ts";

/** A clock that changes only when a test changes it. */
export interface ManualClock extends Clock {
  set(now: Date): void;
  advance(ms: number): void;
}

/** Starts on 21 November 2026 at noon in India unless `start` is given. */
export function createManualClock(start = new Date("2026-11-21T06:30:00Z")): ManualClock {
  let now = start;
  return {
    now: () => now,
    set: (to) => {
      now = to;
    },
    advance: (ms) => {
      now = new Date(now.getTime() + ms);
    },
  };
}
