import { useNow } from "./use-now.ts";

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
