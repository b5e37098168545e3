import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "#app/ui/button.tsx";
import { classNames } from "#app/ui/class-names.ts";
import { TOOL_LIMITS } from "#core/catalog/limits.ts";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import { NumberField, RupeesField } from "./fields.tsx";
import { DEFAULT_DAYS, type FieldErrors, labelFor, type PriceDraft } from "./tool-form-values.ts";

interface PricesFieldProps {
  initial: readonly PriceDraft[];
  errors: FieldErrors;
}

/** What is typed, and what was there at first. */
type Row = PriceDraft & { key: number; opened: PriceDraft };

const ADDED: PriceDraft = { label: "", validityDays: DEFAULT_DAYS, price: "", originalPrice: "" };

const FIELD = "pricingOptions";

/** The prices of a tool, one a row. Each can be removed while another one is left. */
export function PricesField({ initial, errors }: PricesFieldProps) {
  const [rows, setRows] = useState(() =>
    initial.map((price, key): Row => ({ ...price, key, opened: price })),
  );
  const [addedKey, setAddedKey] = useState<number | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    const key = Math.max(...rows.map((row) => row.key)) + 1;
    setRows([...rows, { ...ADDED, key, opened: ADDED }]);
    setAddedKey(key);
  };
  const remove = (removed: Row) => {
    flushSync(() => setRows(rows.filter((row) => row !== removed)));
    // The focused button is gone.
    addButton.current?.focus();
  };
  const rowAt = (row: Row, at: number) => (
    <PriceRow
      key={row.key}
      row={row}
      at={at}
      takesFocus={row.key === addedKey}
      onChange={(changes) => setRows(rows.map((other) => (other === row ? { ...row, ...changes } : other)))}
      onRemove={rows.length > 1 ? () => remove(row) : null}
      errors={errors}
    />
  );
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {rows.map(rowAt)}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="min-w-[min(100%,16rem)] flex-1">
          <h3 className="font-medium text-sm">{TOOL_FIELDS.pricingOptions.label}</h3>
          <p className="text-muted text-xs">
            {rows.length > 1
              ? "Buyers choose one of these prices. The shop shows “from” and the lowest one, and passes that you assign last as long as that one."
              : "Sell the tool for several periods at different prices. The shop then shows “from” and the lowest one."}
          </p>
        </div>
        <Button
          size="small"
          ref={addButton}
          onClick={add}
          disabled={rows.length >= TOOL_LIMITS.pricingOptions}
        >
          Add Pricing Option
        </Button>
      </div>
      <div role="alert" className="text-red text-xs empty:hidden">
        {errors.at(FIELD)?.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
    </div>
  );
}

interface PriceRowProps {
  row: Row;
  /** Its place among all prices. */
  at: number;
  takesFocus: boolean;
  onChange: (changes: Partial<PriceDraft>) => void;
  /** null: it is the only price. */
  onRemove: (() => void) | null;
  errors: FieldErrors;
}

/** One price. The fields of the first one are the tool's own. */
function PriceRow({ row, at, takesFocus, onChange, onRemove, errors }: PriceRowProps) {
  const isFirst = at === 0;
  // A single price has none.
  const label = onRemove === null ? "" : labelFor(row.opened, row.validityDays);
  const field = (name: "validityDays" | "price" | "originalPrice") => {
    const path = isFirst ? name : `${FIELD}[${at - 1}].${name}`;
    return {
      name: path,
      label: TOOL_FIELDS[name].label,
      value: row[name],
      onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
        onChange({ [name]: event.currentTarget.value }),
      errors: errors.at(path),
    };
  };
  return (
    <fieldset
      className={classNames(
        "min-w-0",
        !isFirst && "max-sm:border-line max-sm:border-t max-sm:pt-3 sm:[&_label]:sr-only",
      )}
    >
      <legend className="sr-only">{`Price ${at + 1}`}</legend>
      {label === "" ? null : (
        <>
          <p className="mb-1 text-muted text-xs">{`Called “${label}”`}</p>
          <input type="hidden" name={isFirst ? "optionLabel" : `${FIELD}[${at - 1}].label`} value={label} />
        </>
      )}
      <div
        className={classNames(
          "grid grid-cols-[7.5rem_minmax(0,1fr)] items-start gap-x-3 gap-y-2",
          onRemove === null ? "sm:grid-cols-3" : "sm:grid-cols-[repeat(3,minmax(0,1fr))_auto]",
        )}
      >
        <NumberField
          {...field("validityDays")}
          ref={takesFocus ? selectDays : undefined}
          min={1}
          onBlur={() => !isFirst && row.validityDays === "" && onChange({ validityDays: DEFAULT_DAYS })}
          required
        />
        <RupeesField {...field("price")} hint={onRemove === null ? "0 is free." : undefined} required />
        <div className="max-sm:col-start-2">
          <RupeesField
            {...field("originalPrice")}
            hint={
              onRemove === null
                ? "Optional, and not below the price. Shown crossed out when it is higher."
                : undefined
            }
          />
        </div>
        {onRemove === null ? null : (
          <Button
            variant="quiet"
            aria-label={`Remove price ${at + 1}`}
            onClick={onRemove}
            className={classNames(
              "max-sm:col-start-1 max-sm:row-start-2 max-sm:mt-7 max-sm:justify-self-start",
              isFirst && "sm:mt-7",
            )}
          >
            Remove
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** The days of an added price are typed next. */
const selectDays = (input: HTMLInputElement | null) => {
  input?.focus();
  input?.select();
};
