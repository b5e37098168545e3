import type { ReactNode } from "react";

/** Text for screen readers only. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className="sr-only">{children}</span>;
}

/** Announces its message to screen readers whenever it changes. Keep it mounted and change the message. */
export function LiveRegion({ message, urgent = false }: { message: string; urgent?: boolean }) {
  return (
    <output aria-live={urgent ? "assertive" : "polite"} aria-atomic="true" className="sr-only">
      {message}
    </output>
  );
}
