import { Link, type LinkProps } from "react-router";
import { type ButtonLook, buttonClasses } from "./button-classes.ts";

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
