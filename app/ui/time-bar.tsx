import { useNow } from "./use-now.ts";

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
