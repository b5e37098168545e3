import { useNow } from "./use-now.ts";

interface TimeLeftProps {
  until: Date;
  /** The server's time of rendering. */
  now: Date;
  /** Puts the rest into words, such as "18 days". */
  format: (until: Date, now: Date) => string;
}

/** The time left until a moment, counting down by itself. */
export function TimeLeft({ until, now, format }: TimeLeftProps) {
  return <span className="tabular-nums">{format(until, useNow(now, until))}</span>;
}
