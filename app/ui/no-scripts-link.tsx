import type { ReactNode } from "react";
import { type ButtonLook, buttonClasses } from "./class-names.ts";

/** In place of a button that needs scripts: a browser without them gets a link that looks like one. */
export function NoScriptsLink({
  href,
  className,
  children,
  ...look
}: ButtonLook & { href: string; className?: string; children: ReactNode }) {
  return (
    <noscript>
      <a href={href} className={buttonClasses(look, className)}>
        {children}
      </a>
    </noscript>
  );
}
