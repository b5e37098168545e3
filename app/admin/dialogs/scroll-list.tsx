import type { ReactNode } from "react";

/** A list that scrolls inside a dialog. It takes the focus, so that the keyboard scrolls it. */
export function ScrollList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
      tabIndex={0}
      className="-mx-2 flex max-h-96 flex-col divide-y divide-line overflow-y-auto overscroll-contain rounded-control px-2"
    >
      {children}
    </ul>
  );
}
