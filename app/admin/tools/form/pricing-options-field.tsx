import { type RefObject, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Money } from "#app/ui/text.tsx";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import { formatPaise, parseRupees } from "#core/money.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { NumberField, RupeesField } from "./fields.tsx";
import { draftOf, NEW_OPTION, type OptionDraft, readOption } from "./tool-form-values.ts";

interface PricingOptionsFieldProps {
  options: readonly OptionDraft[];
  onChange: (options: OptionDraft[]) => void;
  errors: readonly string[];
  /** Set to a function that adds or changes the option that is typed and not in the list yet; false when it is invalid. */
  addTyped: RefObject<() => boolean>;
}

const FIELD = "pricingOptions";

/** The ways to buy a tool, and the sub-form that adds an option, or changes the option that is being edited. */
export function PricingOptionsField({ options, onChange, errors, addTyped }: PricingOptionsFieldProps) {
  const [draft, setDraft] = useState(NEW_OPTION);
  /** Whether something was typed: an option of 30 days at price 0 is what the empty sub-form shows. */
  const [isTyped, setIsTyped] = useState(false);
  const [edited, setEdited] = useState<OptionDraft | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const daysField = useRef<HTMLInputElement>(null);
  const priceField = useRef<HTMLInputElement>(null);
  const saveButton = useRef<HTMLButtonElement>(null);
  const startOver = (option: OptionDraft | null) => {
    setEdited(option);
    setDraft(option === null ? NEW_OPTION : draftOf(option));
    setIsTyped(false);
    setProblem(null);
  };
  const save = () => {
    const read = readOption(draft, options, edited);
    if ("problem" in read) {
      setProblem(read.problem);
      return false;
    }
    onChange(
      edited === null
        ? [...options, read.option]
        : options.map((option) => (option === edited ? read.option : option)),
    );
    startOver(null);
    return true;
  };
  useEffect(() => {
    addTyped.current = () => !isTyped || save();
  });
  const fieldOf = (name: keyof typeof NEW_OPTION) => ({
    value: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      setDraft({ ...draft, [name]: event.currentTarget.value });
      setIsTyped(true);
      setProblem(null);
    },
    // Enter saves the option and does not send the form.
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      save();
    },
  });
  return (
    <fieldset className="flex flex-col gap-3 rounded-control border border-line p-4">
      <legend className="px-1 font-medium text-sm">{TOOL_FIELDS.pricingOptions.label}</legend>
      <p className="text-muted text-xs">
        Sell the tool for several periods at different prices. The shop shows “from” and the lowest price.
      </p>
      <OptionList
        options={options}
        edited={edited}
        onEdit={(option) => {
          startOver(option);
          priceField.current?.focus();
        }}
        onRemove={(removed) => {
          onChange(options.filter((option) => option !== removed));
          if (removed === edited) startOver(null);
        }}
        focusWhenEmpty={daysField}
      />
      <div role="alert" className="text-red text-xs empty:hidden">
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,12rem),1fr))] gap-3">
        <NumberField ref={daysField} label="Validity days" min={1} {...fieldOf("validityDays")} />
        <RupeesField ref={priceField} label="Option price" {...fieldOf("price")} />
        <RupeesField label="Option original price" {...fieldOf("originalPrice")} />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button size="small" ref={saveButton} onClick={save}>
          {edited === null ? "Add Pricing Option" : "Update Pricing Option"}
        </Button>
        {edited === null && !isTyped ? null : (
          <Button
            variant="quiet"
            size="small"
            onClick={() => {
              startOver(null);
              saveButton.current?.focus();
            }}
          >
            {edited === null ? "Discard Option" : "Cancel Edit"}
          </Button>
        )}
      </div>
      <p role="alert" className="text-red text-xs empty:hidden">
        {problem}
      </p>
    </fieldset>
  );
}

interface OptionListProps {
  options: readonly OptionDraft[];
  edited: OptionDraft | null;
  onEdit: (option: OptionDraft) => void;
  onRemove: (option: OptionDraft) => void;
  /** Gets the focus when the last option is removed. */
  focusWhenEmpty: RefObject<HTMLElement | null>;
}

function OptionList({ options, edited, onEdit, onRemove, focusWhenEmpty }: OptionListProps) {
  const list = useRef<HTMLUListElement>(null);
  if (options.length === 0) return null;
  const remove = (option: OptionDraft, at: number) => {
    // At once, because the focused button disappears.
    flushSync(() => onRemove(option));
    const rows = list.current?.children;
    const next = rows?.[Math.min(at, rows.length - 1)]?.querySelector<HTMLElement>("button:last-of-type");
    (next ?? focusWhenEmpty.current)?.focus();
  };
  return (
    <ul ref={list} aria-label="Pricing Options" className="max-h-96 overflow-y-auto">
      {options.map((option, at) => (
        <li
          key={option.validityDays}
          className={classNames(
            "flex flex-wrap items-center gap-x-3 border-line border-b py-1 text-sm last:border-b-0",
            option === edited && "bg-marigold/15",
          )}
        >
          {Object.entries(option).map(([name, value]) => (
            <input key={name} type="hidden" name={`${FIELD}[${at}].${name}`} value={value} />
          ))}
          <span className="min-w-0 break-words font-medium">{option.label}</span>
          <OptionPrice {...option} />
          <span className="ml-auto">
            <Button
              variant="quiet"
              size="small"
              aria-label={`Edit ${option.label}`}
              onClick={() => onEdit(option)}
            >
              Edit
            </Button>
            <Button
              variant="quiet"
              size="small"
              aria-label={`Remove ${option.label}`}
              onClick={() => remove(option, at)}
            >
              Remove
            </Button>
          </span>
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
