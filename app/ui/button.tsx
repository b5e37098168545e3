import type { ComponentProps, ReactNode } from "react";
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
      {/* Not beside the spinner as a bare text: see `Elements`. */}
      <span>{children}</span>
    </button>
  );
}

/** A small turning circle in the colour of the text. Decorative: add a text that says what is happening. */
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

/** In place of a button that needs scripts: a browser without them gets a link that looks like one. */
export function NoScriptsLink({
  href,
  label,
  className,
  children,
  ...look
}: ButtonLook & { href: string; label?: string; className?: string; children: ReactNode }) {
  return (
    <noscript>
      <a href={href} aria-label={label} className={buttonClasses(look, className)}>
        {children}
      </a>
    </noscript>
  );
}

/** What happens later than this after a press happens for another reason. */
const PRESSED_WITHIN_MS = 1000;

/** The link or button that has just been pressed; null if there is none. */
export function findPressedControl(): Element | null {
  const press = window.preHydrationEvents?.press;
  const isRecent = press && performance.now() - press.timeStamp < PRESSED_WITHIN_MS;
  return isRecent && press.target instanceof Element ? press.target.closest("a, button") : null;
}

/** Shows on a control that what it was pressed for is coming. @returns ends it */
export function showPressed(control: Element | null): () => void {
  control?.setAttribute("data-awaits", "");
  return () => control?.removeAttribute("data-awaits");
}
