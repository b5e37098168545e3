import { useEffect, useState } from "react";

const MINUTE = 60_000;

/**
 * The time by the server's clock, moving on at each full minute while the page is open.
 *
 * @param start the server's time when it answered
 */
export function useMinute(start: Date): Date {
  const startMs = start.getTime();
  const [now, setNow] = useState(startMs);

  useEffect(() => {
    // By how much passed, not by what the browser's clock says: that may be set wrong.
    const ahead = Date.now() - startMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const current = Date.now() - ahead;
      setNow(current);
      timer = setTimeout(tick, MINUTE - (current % MINUTE));
    };
    tick();
    return () => clearTimeout(timer);
  }, [startMs]);

  return new Date(now);
}
