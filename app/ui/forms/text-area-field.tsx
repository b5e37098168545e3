import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "../class-names.ts";

type TextAreaFieldProps = Omit<ComponentProps<"textarea">, "className"> & {
  label: string;
  hint?: ReactNode;
  errors?: readonly string[] | undefined;
};

/** A labelled text of several lines. It grows with its text. */
export function TextAreaField({ label, hint, errors = [], id, ...area }: TextAreaFieldProps) {
  const ownId = useId();
  const areaId = id ?? ownId;
  const hintId = `${areaId}-hint`;
  const errorId = `${areaId}-error`;
  const invalid = errors.length > 0;
  const describedBy = [hint === undefined ? null : hintId, invalid ? errorId : null]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={areaId} className="font-medium text-sm">
        {label}
      </label>
      <textarea
        rows={3}
        {...area}
        id={areaId}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy || undefined}
        className={classNames(
          "field-sizing-content max-h-96 min-h-22 w-full rounded-control border bg-card px-3 py-2 text-base outline-accent outline-offset-2 placeholder:text-muted focus-visible:outline-2",
          invalid ? "border-red" : "border-field",
        )}
      />
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
