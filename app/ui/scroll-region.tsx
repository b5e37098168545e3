import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

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
