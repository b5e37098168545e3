import ChevronDown from "lucide-react/icons/chevron-down";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface FoldProps {
  summary: ReactNode;
  /** Folded on phones only; wider windows show the content and no summary. */
  onPhones?: boolean;
  /** Asks for attention. */
  urgent?: boolean;
  children: ReactNode;
}

/** A bordered part of the page that shows its summary, and its content after a click. */
export function Fold({ summary, onPhones = false, urgent = false, children }: FoldProps) {
  return (
    <details
      className={classNames(
        "fold group rounded-ticket border",
        onPhones && "fold-on-phones",
        urgent ? "border-marigold/60 bg-marigold/15" : "border-line bg-card",
      )}
    >
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
