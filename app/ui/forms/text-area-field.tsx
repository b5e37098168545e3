import type { ComponentProps } from "react";
import { classNames } from "../class-names.ts";
import { FieldFrame, type FieldFrameProps } from "./field-frame.tsx";

type TextAreaFieldProps = Omit<ComponentProps<"textarea">, "className"> & FieldFrameProps;

/** A labelled text of several lines. It grows with its text. */
export function TextAreaField({ label, hint, errors, labelHidden, id, ...area }: TextAreaFieldProps) {
  return (
    <FieldFrame {...{ label, hint, errors, labelHidden, id }}>
      {(control, border) => (
        <textarea
          rows={3}
          {...area}
          {...control}
          className={classNames(
            "field-sizing-content max-h-96 min-h-22 w-full rounded-control border bg-card px-3 py-2 text-base outline-accent outline-offset-2 placeholder:text-muted focus-visible:outline-2",
            border,
          )}
        />
      )}
    </FieldFrame>
  );
}
