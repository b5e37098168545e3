import type { ComponentProps } from "react";
import { classNames } from "../class-names.ts";
import { FieldFrame, type FieldFrameProps } from "./field-frame.tsx";

type SelectFieldProps = Omit<ComponentProps<"select">, "className" | "size" | "children"> &
  FieldFrameProps & { options: readonly { value: string; label: string }[] };

/** A labelled choice between fixed values. */
export function SelectField(props: SelectFieldProps) {
  const { label, options, hint, errors, labelHidden, id, ...select } = props;
  return (
    <FieldFrame {...{ label, hint, errors, labelHidden, id }}>
      {(control, border) => (
        <select
          {...select}
          {...control}
          className={classNames(
            "min-h-11 w-full min-w-0 rounded-control border bg-card px-3 py-2 text-base outline-accent outline-offset-2 focus-visible:outline-2 disabled:text-muted",
            border,
          )}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
