import ChevronDown from "lucide-react/icons/chevron-down";
import { type ReactNode, useState } from "react";
import { classNames } from "./class-names.ts";
import type { Elements } from "./texts/texts.ts";

interface FoldProps {
  summary: ReactNode;
  /** Whether it is open. Without it, it starts folded, or open with `startsOpen`, and keeps its own state. */
  isOpen?: boolean;
  startsOpen?: boolean;
  /** Called when somebody opens or folds it. */
  onToggle?: (isOpen: boolean) => void;
  /** Shows the content of a folded one from 720 px, for a page whose script does not know the width yet. */
  showsContentWhenWide?: boolean;
  /** Asks for attention. */
  urgent?: boolean;
  children: Elements;
}

/** A bordered part of the page that shows its summary, and its content after a click. */
export function Fold(props: FoldProps) {
  const { summary, isOpen, onToggle, showsContentWhenWide = false, urgent = false, children } = props;
  const [startsOpen] = useState(props.startsOpen);
  return (
    <details
      // An unchanged value leaves it to the browser.
      open={isOpen ?? startsOpen}
      onToggle={(event) => {
        // It also happens when `isOpen` changes.
        const { open } = event.currentTarget;
        if (open !== isOpen) onToggle?.(open);
      }}
      className={classNames(
        "fold group rounded-ticket border",
        showsContentWhenWide && "fold-shown-when-wide",
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
  children: ReactNode;
}

/** A part of a page or a dialog with its own scrolling. It takes the focus, so that the keyboard scrolls it. */
export function ScrollRegion({ label, as: Tag = "section", className, children }: ScrollRegionProps) {
  return (
    <Tag
      aria-label={label}
      tabIndex={0}
      className={classNames("overflow-y-auto overscroll-contain", className ?? "max-h-96")}
    >
      {children}
    </Tag>
  );
}
