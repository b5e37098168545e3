import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "../class-names.ts";
import type { Elements } from "../texts/texts.ts";

type TextFieldProps = Omit<ComponentProps<"input">, "className" | "size"> &
  FieldFrameProps & {
    /** Before the input, inside its border: an icon or a button. */
    start?: ReactNode;
    /** The same, after the input. */
    end?: Elements;
  };

/** A labelled input. */
export function TextField(props: TextFieldProps) {
  const { label, hint, errors, renderError, labelHidden, start, end, id, ...input } = props;
  return (
    <FieldFrame
      label={label}
      hint={hint}
      errors={errors}
      renderError={renderError}
      labelHidden={labelHidden}
      id={id}
    >
      {(control, border) => (
        <div
          className={classNames(
            "flex min-h-11 flex-wrap items-center rounded-control border bg-card outline-accent outline-offset-2 has-[input:focus-visible]:outline-2",
            border,
          )}
        >
          {start ? <span className="pl-3 text-muted">{start}</span> : null}
          <input
            // A page that is loaded with an error begins at its field: nothing announces it otherwise.
            {...(control["aria-invalid"] && { autoFocus: true })}
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

export interface FieldFrameProps {
  label: string;
  /** Shown under the field; screen readers read it with the field. */
  hint?: ReactNode;
  errors?: readonly string[] | undefined;
  /** An error with a link in it; others stay as they are. */
  renderError?: ((error: string) => ReactNode) | undefined;
  /** Hides the label, where the context shows what the field is. Screen readers still read it. */
  labelHidden?: boolean | undefined;
  id?: string | undefined;
}

/** What connects a control to its label, its hint and its errors. */
interface ControlProps {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

/** A label above a control, and its hint and errors below it. Errors are announced when they appear. */
export function FieldFrame(
  props: FieldFrameProps & { children: (control: ControlProps, border: string) => Elements },
) {
  const { label, hint, errors = [], renderError, labelHidden = false, children } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const isInvalid = errors.length > 0;
  const describedBy = [hint !== undefined && hintId, isInvalid && errorId].filter(Boolean).join(" ");
  const control: ControlProps = {
    id,
    "aria-invalid": isInvalid || undefined,
    "aria-describedby": describedBy || undefined,
  };
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className={labelHidden ? "sr-only" : "font-medium text-sm"}>
        {label}
      </label>
      {children(control, isInvalid ? "border-red" : "border-field")}
      {hint === undefined ? null : (
        <p id={hintId} className="text-muted text-xs">
          {hint}
        </p>
      )}
      <div id={errorId} role="alert" className="text-red text-xs empty:hidden">
        {errors.map((error) => (
          <p key={error}>{renderError?.(error) ?? error}</p>
        ))}
      </div>
    </div>
  );
}
