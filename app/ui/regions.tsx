import ChevronDown from "lucide-react/icons/chevron-down";
import { type ReactNode, useState } from "react";
import { classNames } from "./class-names.ts";
import type { Elements } from "./texts/texts.ts";

interface FoldProps {
  summary: ReactNode;
  startsOpen?: boolean;
  /** Asks for attention. */
  urgent?: boolean;
  children: Elements;
}

/** A bordered part of the page that shows its summary, and its content after a click. */
export function Fold({ summary, startsOpen, urgent = false, children }: FoldProps) {
  // An unchanged value leaves it to the browser.
  const [isOpen] = useState(startsOpen);
  return (
    <details
      open={isOpen}
      className={classNames(
        "fold group rounded-ticket border",
        urgent ? "border-warning/60 bg-warning/15" : "border-line bg-card",
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

interface ScrollRegionProps {
  /** Its name for screen readers. */
  label: string;
  as?: "ul" | "section";
  /** Its largest height, if not 24 rem, and its looks. */
  className?: string;
  ref?: (element: HTMLElement | null) => void;
  onScroll?: () => void;
  children: ReactNode;
}

/** A part of a page or a dialog with its own scrolling. It takes the focus, so that the keyboard scrolls it. */
export function ScrollRegion({ label, as: Tag = "section", className, ...rest }: ScrollRegionProps) {
  return (
    <Tag
      {...rest}
      aria-label={label}
      tabIndex={0}
      className={classNames("overflow-y-auto overscroll-contain", className ?? "max-h-96")}
    />
  );
}
