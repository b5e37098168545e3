import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "../class-names.ts";

type TextFieldProps = Omit<ComponentProps<"input">, "className" | "size"> & {
  label: string;
  /** Shown under the field; screen readers read it with the field. */
  hint?: ReactNode;
  errors?: readonly string[] | undefined;
  /** Hides the label, where the context shows what the field is. Screen readers still read it. */
  labelHidden?: boolean;
  /** Before the input, inside its border: an icon or a button. */
  start?: ReactNode;
  /** The same, after the input. */
  end?: ReactNode;
};

/** A labelled input. Its errors are shown under it and announced when they appear. */
export function TextField({
  label,
  hint,
  errors = [],
  labelHidden = false,
  start,
  end,
  id,
  ...input
}: TextFieldProps) {
  const ownId = useId();
  const inputId = id ?? ownId;
  const hintId = `${inputId}-hint`;
  const errorId = `${inputId}-error`;
  const invalid = errors.length > 0;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={inputId} className={labelHidden ? "sr-only" : "font-medium text-sm"}>
        {label}
      </label>
      <div
        className={classNames(
          "flex min-h-11 flex-wrap items-center rounded-control border bg-card outline-accent outline-offset-2 has-[input:focus-visible]:outline-2",
          invalid ? "border-red" : "border-field",
        )}
      >
        {start ? <span className="pl-3 text-muted">{start}</span> : null}
        <input
          {...input}
          id={inputId}
          aria-invalid={invalid || undefined}
          aria-describedby={describedBy(hint !== undefined && hintId, invalid && errorId)}
          className="min-w-[min(100%,9rem)] flex-1 rounded-control bg-transparent read-only:field-sizing-content read-only:max-w-full read-only:basis-auto px-3 py-2 text-base outline-none placeholder:text-muted read-only:text-muted disabled:text-muted"
        />
        {end}
      </div>
      {hint === undefined ? null : (
        <p id={hintId} className="text-muted text-xs">
          {hint}
        </p>
      )}
      <div id={errorId} role="alert" className="text-red text-xs empty:hidden">
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
    </div>
  );
}

function describedBy(...ids: Array<string | false>): string | undefined {
  return ids.filter((id) => id !== false).join(" ") || undefined;
}
