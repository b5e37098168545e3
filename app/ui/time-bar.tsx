import { useNow } from "./use-now.ts";

interface TimeBarProps {
  from: Date;
  until: Date;
  /** The server's time of rendering. */
  now: Date;
}

/** How much of a span of time is left, as a bar that runs empty. Decorative: show the time left in words beside it. */
export function TimeBar({ from, until, now }: TimeBarProps) {
  const current = useNow(now, until).getTime();
  const span = Math.max(1, until.getTime() - from.getTime());
  const left = Math.min(1, Math.max(0, (until.getTime() - current) / span));
  return (
    <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-line">
      {/* Rounded, so that server and browser write the same number. */}
      <div className="h-full rounded-full bg-marigold" style={{ width: `${(left * 100).toFixed(1)}%` }} />
    </div>
  );
}
