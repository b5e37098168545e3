import { useEffect, useState } from "react";

const MINUTE = 60_000;
const SECOND = 1_000;

/**
 * The current time, updated while the page is open. It starts at `start`, the time of rendering on the server, so that
 * the first render in the browser equals the server's. Later values add the time that has passed; the browser's clock,
 * which may be wrong, is not used.
 *
 * @param until the last update. There is one update a minute, and one a second in the last minute.
 */
export function useNow(start: Date, until: Date): Date {
  const startMs = start.getTime();
  const untilMs = until.getTime();
  const [now, setNow] = useState(startMs);

  useEffect(() => {
    const startedAt = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const current = startMs + (performance.now() - startedAt);
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
    return () => clearTimeout(timer);
  }, [startMs, untilMs]);

  return new Date(now);
}
