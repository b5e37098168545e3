import type { ReactNode } from "react";

/** A date as text (`children`, such as "24/12/26") with its machine-readable form. */
export function DateText({ date, children }: { date: Date; children: ReactNode }) {
  return (
    <time dateTime={date.toISOString()} className="tabular-nums">
      {children}
    </time>
  );
}
