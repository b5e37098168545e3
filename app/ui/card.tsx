import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

/** A bordered surface. A `.perforation` inside cuts notches into its edges, so that it looks like a ticket. */
export function Card({ className, ...rest }: ComponentProps<"div">) {
  return <div {...rest} className={classNames("card", className)} />;
}

/** A placeholder for content that is loading. Give it the size of that content. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden="true" className={`skeleton block ${className}`} />;
}
