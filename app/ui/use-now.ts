import { useEffect, useState } from "react";

const MINUTE = 60_000;
const SECOND = 1_000;

/**
 * The time, moving on while the page is open. It starts at `start`, the server's time of rendering, so that the first
 * client render equals the server's; from there it follows the browser's clock by how much passed, not by what it says.
 *
 * @param until ticks each second in the last minute before it, each minute else, at it, and stops there
 */
export function useNow(start: Date, until: Date): Date {
  const startMs = start.getTime();
  const untilMs = until.getTime();
  const [now, setNow] = useState(startMs);

  useEffect(() => {
    const opened = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const current = startMs + (performance.now() - opened);
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
