import { useEffect, useState } from "react";

const MINUTE_MS = 60_000;

/**
 * The current time by the server's clock, updated at each full minute.
 *
 * @param start the server's time when it responded
 */
export function useServerClock(start: Date): Date {
  const startMs = start.getTime();
  const [now, setNow] = useState(startMs);

  useEffect(() => {
    // Only the elapsed time is taken from the browser's clock: the clock itself may be wrong.
    const ahead = Date.now() - startMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const current = Date.now() - ahead;
      setNow(current);
      timer = setTimeout(tick, MINUTE_MS - (current % MINUTE_MS));
    };
    tick();
    return () => clearTimeout(timer);
  }, [startMs]);

  return new Date(now);
}
