import type { ReactNode } from "react";

/** A date for people (`children`, such as "24/12/26") that machines can read as well. */
export function DateText({ date, children }: { date: Date; children: ReactNode }) {
  return (
    <time dateTime={date.toISOString()} className="tabular-nums">
      {children}
    </time>
  );
}
