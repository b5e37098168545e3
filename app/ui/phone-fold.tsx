import ChevronDown from "lucide-react/icons/chevron-down";
import type { ReactNode } from "react";

/** A bordered part of the page. Phones show its summary only, and the content after a tap; wider windows the content only. */
export function PhoneFold({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className="phone-fold group rounded-ticket border border-line bg-card">
      <summary className="flex min-h-11 items-center gap-2 rounded-ticket px-4 py-2 text-sm">
        <span className="min-w-0 flex-1">{summary}</span>
        <ChevronDown
          className="size-4 shrink-0 text-muted transition-transform duration-150 group-open:rotate-180"
          aria-hidden="true"
        />
      </summary>
      {children}
    </details>
  );
}
