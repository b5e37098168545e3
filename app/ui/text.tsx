import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { t, tNodes } from "./texts/texts.ts";

/** Text for screen readers only. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className="sr-only">{children}</span>;
}

/**
 * A text of which the screen shows one part; screen readers read all of it. It is one message, because the part stands in
 * another place of it in another language.
 */
export function PartlyHidden({ text, shown }: { text: string; shown: string }) {
  const [before, after] = splitAround(text, shown);
  return (
    <>
      {before === "" ? null : <VisuallyHidden>{before}</VisuallyHidden>}
      <span>{shown}</span>
      {after === "" ? null : <VisuallyHidden>{after}</VisuallyHidden>}
    </>
  );
}

/** What stands before and after a part of a text, for a message whose part has an element of its own. */
export function splitAround(text: string, part: string): [before: string, after: string] {
  const [before = "", ...rest] = text.split(part);
  return [before, rest.join(part)];
}

/** Announces its message to screen readers whenever it changes. Keep it mounted and change the message. */
export function LiveRegion({ message, urgent = false }: { message: string; urgent?: boolean }) {
  return (
    <output aria-live={urgent ? "assertive" : "polite"} aria-atomic="true" className="sr-only">
      {message}
    </output>
  );
}

/** A formatted amount ("₹149") in digits of equal width. `struck` marks a price that no longer applies. */
export function Money({
  children,
  struck = false,
  className,
}: {
  children: ReactNode;
  struck?: boolean;
  className?: string;
}) {
  if (!struck)
    return (
      <span translate="no" className={classNames("money", className)}>
        {children}
      </span>
    );
  return (
    <>
      <VisuallyHidden>{`${t("instead of")} `}</VisuallyHidden>
      <s translate="no" className={classNames("money", className)}>
        {children}
      </s>
    </>
  );
}

/** "Order number K7QM4XTP". One click selects all of it. */
export function OrderNumberText({ number }: { number: string }) {
  return (
    <p className="text-muted text-xs">
      {tNodes("Order number {number}", {
        number: (
          <code key="number" translate="no" className="select-all font-mono text-ink">
            {number}
          </code>
        ),
      })}
    </p>
  );
}
