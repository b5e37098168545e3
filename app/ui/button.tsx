import type { ComponentProps } from "react";
import { Link, type LinkProps } from "react-router";
import { type ButtonLook, buttonClasses } from "./class-names.ts";

type ButtonProps = ComponentProps<"button"> &
  ButtonLook & {
    /** Shows that the action is running. The button stays focusable and ignores clicks. */
    busy?: boolean;
  };

/** A button with a text. Its `type` is "button" by default. */
export function Button({
  variant,
  size,
  wide,
  busy = false,
  className,
  type = "button",
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={buttonClasses({ variant, size, wide }, className)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

/** A small turning ring in the colour of the text. Decorative: add a text that says what is happening. */
export function Spinner({ className = "size-4" }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`${className} inline-block shrink-0 animate-[spin_700ms_linear_infinite] rounded-full border-2 border-current border-r-transparent`}
    />
  );
}

/** A link that looks like a button. It navigates; a Button runs an action. */
export function LinkButton({
  variant,
  size,
  wide,
  className,
  ...rest
}: Omit<LinkProps, "className"> & ButtonLook & { className?: string }) {
  return <Link {...rest} className={buttonClasses({ variant, size, wide }, className)} />;
}
