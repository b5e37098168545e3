import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

/** The surface of a ticket. A `.perforation` inside cuts its notches into the edges. */
export function Card({ className, ...rest }: ComponentProps<"div">) {
  return <div {...rest} className={classNames("rounded-ticket border border-line bg-card", className)} />;
}
