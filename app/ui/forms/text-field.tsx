import type { ComponentProps, ReactNode } from "react";
import { classNames } from "../class-names.ts";
import { FieldFrame, type FieldFrameProps } from "./field-frame.tsx";

type TextFieldProps = Omit<ComponentProps<"input">, "className" | "size"> &
  FieldFrameProps & {
    /** Before the input, inside its border: an icon or a button. */
    start?: ReactNode;
    /** The same, after the input. */
    end?: ReactNode;
  };

/** A labelled input. */
export function TextField(props: TextFieldProps) {
  const { label, hint, errors, renderError, labelHidden, start, end, id, ...input } = props;
  return (
    <FieldFrame {...{ label, hint, errors, renderError, labelHidden, id }}>
      {(control, border) => (
        <div
          className={classNames(
            "flex min-h-11 flex-wrap items-center rounded-control border bg-card outline-accent outline-offset-2 has-[input:focus-visible]:outline-2",
            border,
          )}
        >
          {start ? <span className="pl-3 text-muted">{start}</span> : null}
          <input
            {...input}
            {...control}
            className="min-w-[min(100%,9rem)] flex-1 rounded-control bg-transparent read-only:field-sizing-content read-only:max-w-full read-only:basis-auto px-3 py-2 text-base text-ellipsis outline-none placeholder:text-muted read-only:text-muted disabled:text-muted"
          />
          {end}
        </div>
      )}
    </FieldFrame>
  );
}
