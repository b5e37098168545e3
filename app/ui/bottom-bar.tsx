import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface BottomBarProps {
  /** The accessible name. */
  label: string;
  className?: string;
  children: ReactNode;
}

/**
 * A bar at the bottom of the window. The page gets room below its end, and what floats at its bottom moves up
 * (`theme.css`). Render it at the end of the body, so that no other part of the page is above it.
 */
export function BottomBar({ label, className, children }: BottomBarProps) {
  return (
    <section
      ref={reserveHeight}
      aria-label={label}
      className={classNames(
        "bottom-bar appear fixed inset-x-0 bottom-0 z-30 border-line border-t bg-card pb-[env(safe-area-inset-bottom)] shadow-float",
        className,
      )}
    >
      <div className="mx-auto flex min-h-14 max-w-page items-center gap-3 px-4 sm:px-6">{children}</div>
    </section>
  );
}

/** Tells the page the height of the bar, which has two lines for a long text. */
function reserveHeight(bar: HTMLElement | null): (() => void) | undefined {
  if (bar === null) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty("--bottom-bar", `${bar.offsetHeight}px`));
  observer.observe(bar);
  return () => {
    observer.disconnect();
    const bars = [...document.querySelectorAll(".bottom-bar")];
    if (bars.every((other) => other === bar)) style.removeProperty("--bottom-bar");
  };
}
