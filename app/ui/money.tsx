import type { ReactNode } from "react";
import { VisuallyHidden } from "./screen-reader-text.tsx";

/** A formatted amount ("₹149") in digits of equal width. `struck` marks a price that no longer applies. */
export function Money({
  children,
  struck = false,
  className = "",
}: {
  children: ReactNode;
  struck?: boolean;
  className?: string;
}) {
  if (!struck) return <span className={`whitespace-nowrap tabular-nums ${className}`}>{children}</span>;
  return (
    <>
      <VisuallyHidden>instead of </VisuallyHidden>
      <s className={`whitespace-nowrap text-muted tabular-nums ${className}`}>{children}</s>
    </>
  );
}
