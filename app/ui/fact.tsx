import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/**
 * A name and its value, one above the other, in a `<dl>`.
 *
 * @param wide whether it takes a whole row of a grid
 */
export function Fact({
  name,
  wide = false,
  children,
}: {
  name: string;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classNames("min-w-0", wide && "col-span-full")}>
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="wrap-anywhere tabular-nums">{children}</dd>
    </div>
  );
}
