import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

/** A square button with an icon only. `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  className,
  type = "button",
  children,
  ...rest
}: ComponentProps<"button"> & { label: string }) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex size-11 shrink-0 items-center justify-center rounded-control text-muted transition-colors duration-150 hover:bg-ink/5 hover:text-ink disabled:cursor-not-allowed disabled:opacity-50",
        className,
      )}
    >
      {children}
    </button>
  );
}
