import type { ReactNode } from "react";

/** One to four cards in a row. */
export function ToolGrid({ children }: { children: ReactNode }) {
  return (
    <ul className="lays-out-cards-in-view grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-5 lg:grid-cols-3 xl:grid-cols-4">
      {children}
    </ul>
  );
}
