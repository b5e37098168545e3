import { type ReactNode, useEffect, useState } from "react";

/** A date as text (`children`, such as "24/12/26") with its machine-readable form. */
export function DateText({ date, children }: { date: Date; children: ReactNode }) {
  return (
    <time dateTime={date.toISOString()} translate="no" className="tabular-nums">
      {children}
    </time>
  );
}

interface TimeLeftProps {
  until: Date;
  /** The time of rendering on the server. */
  now: Date;
  /** Formats the time left, such as "18 days". */
  format: (until: Date, now: Date) => string;
}

/** The time left until a moment. It counts down while the page is open. */
export function TimeLeft({ until, now, format }: TimeLeftProps) {
  const text = format(until, useNow(now, until));
  // A translation of the text before, which arrives late, does not replace this one.
  return (
    <span key={text} className="tabular-nums">
      {text}
    </span>
  );
}

interface TimeBarProps {
  from: Date;
  until: Date;
  /** The time of rendering on the server. */
  now: Date;
}

/** The part of a time span that is left, as a bar. Decorative: show the time left as text beside it. */
export function TimeBar({ from, until, now }: TimeBarProps) {
  const current = useNow(now, until).getTime();
  const span = Math.max(1, until.getTime() - from.getTime());
  const left = Math.min(1, Math.max(0, (until.getTime() - current) / span));
  return (
    <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-line">
      {/* Rounded, so that the server and the browser render the same number. */}
      <div className="h-full rounded-full bg-marigold" style={{ width: `${(left * 100).toFixed(1)}%` }} />
    </div>
  );
}

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
 * and the browser's clock can be set back: the clock that has moved further is right.
 */
function startTimer(): () => number {
  const [steady, clock] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Date.now() - clock);
}
