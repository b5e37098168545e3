import { type ReactNode, useId } from "react";

interface Choice<Value extends string> {
  value: Value;
  label: ReactNode;
  /** What happens then. */
  hint?: ReactNode;
}

interface ChoiceCardsProps<Value extends string> {
  /** For screen readers. */
  legend: string;
  choices: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** One of two or three ways to do something. */
export function ChoiceCards<Value extends string>({
  legend,
  choices,
  value,
  onChange,
}: ChoiceCardsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{legend}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className="flex min-h-11 cursor-pointer items-start gap-3 rounded-control border border-line px-3 py-2.5 text-sm has-[:checked]:border-strong has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent has-[:focus-visible]:outline-offset-2"
        >
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
            aria-labelledby={`${name}-${choice.value}`}
            aria-describedby={choice.hint === undefined ? undefined : `${name}-${choice.value}-hint`}
            className="mt-0.5 size-4.5 shrink-0 outline-none"
          />
          <span className="min-w-0">
            <span id={`${name}-${choice.value}`} className="font-medium">
              {choice.label}
            </span>
            {choice.hint === undefined ? null : (
              <span id={`${name}-${choice.value}-hint`} className="mt-0.5 block text-muted text-xs">
                {choice.hint}
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
