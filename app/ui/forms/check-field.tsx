import { type ComponentProps, type ReactNode, useId } from "react";

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
