import type { Clock } from "#core/time.ts";

/** A clock that stands where it is put. */
export interface SetClock extends Clock {
  set(now: Date): void;
  advance(ms: number): void;
}

export function createSetClock(start: Date): SetClock {
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
