import { type ComponentProps, useId } from "react";
import { classNames } from "../class-names.ts";

type SelectFieldProps = Omit<ComponentProps<"select">, "className" | "size" | "children"> & {
  label: string;
  options: readonly { value: string; label: string }[];
  errors?: readonly string[] | undefined;
  /** Hides the label, where the context shows what the field is. Screen readers still read it. */
  labelHidden?: boolean;
};

/** A labelled choice between fixed values. */
export function SelectField({ label, options, errors = [], labelHidden, id, ...select }: SelectFieldProps) {
  const ownId = useId();
  const selectId = id ?? ownId;
  const errorId = `${selectId}-error`;
  const invalid = errors.length > 0;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={selectId} className={labelHidden ? "sr-only" : "font-medium text-sm"}>
        {label}
      </label>
      <select
        {...select}
        id={selectId}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? errorId : undefined}
        className={classNames(
          "min-h-11 w-full min-w-0 rounded-control border bg-card px-3 py-2 text-base outline-accent outline-offset-2 focus-visible:outline-2 disabled:text-muted",
          invalid ? "border-red" : "border-field",
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <div id={errorId} role="alert" className="text-red text-xs empty:hidden">
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
    </div>
  );
}
