import { type RefObject, useEffect, useState } from "react";
import { formatPaise, parseRupees } from "#core/money.ts";
import { Button } from "../../../ui/button.tsx";
import { Money } from "../../../ui/money.tsx";
import { NumberField, RupeesField } from "./number-field.tsx";
import { NEW_OPTION, type OptionDraft, readOption } from "./tool-form-values.ts";

interface PricingOptionsFieldProps {
  options: readonly OptionDraft[];
  onChange: (options: OptionDraft[]) => void;
  errors: readonly string[];
  /** Set to a function that adds the option that is typed and not added yet; false when it is invalid. */
  addTyped: RefObject<() => boolean>;
}

const FIELD = "pricingOptions";

/** The ways to buy a tool, and the sub-form that adds one. */
export function PricingOptionsField({ options, onChange, errors, addTyped }: PricingOptionsFieldProps) {
  const [draft, setDraft] = useState(NEW_OPTION);
  const [problem, setProblem] = useState<string | null>(null);
  const add = () => {
    const read = readOption(draft, options);
    const isValid = "option" in read;
    setProblem(isValid ? null : read.problem);
    if (!isValid) return false;
    onChange([...options, read.option]);
    setDraft(NEW_OPTION);
    return true;
  };
  useEffect(() => {
    const { price, originalPrice } = NEW_OPTION;
    const isUntouched = draft.price === price && draft.originalPrice === originalPrice;
    addTyped.current = () => isUntouched || add();
  });
  const fieldOf = (name: keyof typeof NEW_OPTION) => ({
    value: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      setDraft({ ...draft, [name]: event.currentTarget.value });
      setProblem(null);
    },
    // Enter adds the option and does not send the form.
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      add();
    },
  });
  return (
    <fieldset className="flex flex-col gap-3 rounded-control border border-line p-4">
      <legend className="px-1 font-medium text-sm">Pricing Options</legend>
      <p className="text-muted text-xs">
        Sell the tool for several periods at different prices. The shop shows “from” and the lowest price.
      </p>
      <OptionList options={options} onChange={onChange} />
      <div role="alert" className="text-red text-xs empty:hidden">
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,12rem),1fr))] gap-3">
        <NumberField label="Validity days" min={1} {...fieldOf("validityDays")} />
        <RupeesField label="Option price" {...fieldOf("price")} />
        <RupeesField label="Option original price" {...fieldOf("originalPrice")} />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button size="small" onClick={add}>
          Add Pricing Option
        </Button>
        <p role="alert" className="text-red text-xs empty:hidden">
          {problem}
        </p>
      </div>
    </fieldset>
  );
}

function OptionList({ options, onChange }: Pick<PricingOptionsFieldProps, "options" | "onChange">) {
  if (options.length === 0) return null;
  return (
    <ul aria-label="Pricing Options" className="max-h-96 overflow-y-auto">
      {options.map((option, at) => (
        <li
          key={option.validityDays}
          className="flex flex-wrap items-center gap-x-3 border-line border-b py-1 text-sm last:border-b-0"
        >
          {Object.entries(option).map(([name, value]) => (
            <input key={name} type="hidden" name={`${FIELD}[${at}].${name}`} value={value} />
          ))}
          <span className="min-w-0 break-words font-medium">{option.label}</span>
          <OptionPrice {...option} />
          <Button
            variant="quiet"
            size="small"
            aria-label={`Remove ${option.label}`}
            className="ml-auto"
            onClick={() => onChange(options.filter((other) => other !== option))}
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

function OptionPrice({ price, originalPrice }: OptionDraft) {
  const original = originalPrice === "" ? null : parseRupees(originalPrice);
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      <Money>{formatPaise(parseRupees(price) ?? 0)}</Money>
      {original === null ? null : <Money struck>{formatPaise(original)}</Money>}
    </span>
  );
}
