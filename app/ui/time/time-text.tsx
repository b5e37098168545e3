import type { ReactNode } from "react";
import { useNow } from "./use-now.ts";

/** A date as text (`children`, such as "24/12/26") with its machine-readable form. */
export function DateText({ date, children }: { date: Date; children: ReactNode }) {
  return (
    <time dateTime={date.toISOString()} className="tabular-nums">
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
  return <span className="tabular-nums">{format(until, useNow(now, until))}</span>;
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
