import { useEffect, useState } from "react";

const MINUTE = 60_000;
const SECOND = 1_000;

/**
 * The current time, updated while the page is open. It starts at `start`, the time of rendering on the server, so that
 * the first render in the browser equals the server's. Later values add the time that has passed; what the browser's
 * clock shows, which may be wrong, is not used.
 *
 * @param until the last update. There is one update a minute, and one a second in the last minute.
 */
export function useNow(start: Date, until: Date): Date {
  const startMs = start.getTime();
  const untilMs = until.getTime();
  const [now, setNow] = useState(startMs);

  useEffect(() => {
    const measureTime = startTimer();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const current = startMs + measureTime();
      setNow(current);
      if (current < untilMs) {
        timer = setTimeout(
          tick,
          untilMs - current > MINUTE
            ? Math.min(MINUTE, untilMs - current - MINUTE + 1)
            : Math.min(SECOND, untilMs - current),
        );
      }
    };
    tick();
    // The timers of a hidden page are late.
    document.addEventListener("visibilitychange", tick);
    return () => {
      document.removeEventListener("visibilitychange", tick);
      clearTimeout(timer);
    };
  }, [startMs, untilMs]);

  return new Date(now);
}

/**
 * Measures the time from now on, in milliseconds. `performance.now` stands still in many browsers while the device sleeps,
 * and the browser's clock can be set back: the one that has moved further is right.
 */
function startTimer(): () => number {
  const [steady, clock] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Date.now() - clock);
}
