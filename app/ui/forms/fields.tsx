import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "../class-names.ts";
import { FieldFrame, type FieldFrameProps } from "./text-field.tsx";

type TextAreaFieldProps = Omit<ComponentProps<"textarea">, "className"> & FieldFrameProps;

/** A labelled text of several lines. It grows with its text. */
export function TextAreaField({ label, hint, errors, labelHidden, id, ...area }: TextAreaFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} errors={errors} labelHidden={labelHidden} id={id}>
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

type SelectFieldProps = Omit<ComponentProps<"select">, "className" | "size" | "children"> &
  FieldFrameProps & { options: readonly { value: string; label: string }[] };

/** A labelled choice between fixed values. */
export function SelectField(props: SelectFieldProps) {
  const { label, options, hint, errors, labelHidden, id, ...select } = props;
  return (
    <FieldFrame label={label} hint={hint} errors={errors} labelHidden={labelHidden} id={id}>
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

type CheckFieldProps = Omit<ComponentProps<"input">, "className" | "size" | "type"> & {
  label: ReactNode;
  hint?: ReactNode;
};

/** A checkbox with its label. The whole line is its target. */
export function CheckField({ label, hint, id, ...input }: CheckFieldProps) {
  const ownId = useId();
  const inputId = id ?? ownId;
  const hintId = `${inputId}-hint`;
  return (
    <div>
      <label htmlFor={inputId} className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
        <input
          {...input}
          id={inputId}
          type="checkbox"
          aria-describedby={hint === undefined ? undefined : hintId}
          className="size-5 shrink-0 outline-accent outline-offset-2 focus-visible:outline-2"
        />
        <span>{label}</span>
      </label>
      {hint === undefined ? null : (
        <p id={hintId} className="text-muted text-xs">
          {hint}
        </p>
      )}
    </div>
  );
}
