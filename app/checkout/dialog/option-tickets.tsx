import { useId } from "react";
import { quotePrice } from "#core/checkout/pricing.ts";
import { formatPaise } from "#core/money.ts";
import { PricePerDay, Saving } from "../../storefront/offer/option-prices.tsx";
import { optionLabel } from "../../time/time-texts.ts";
import { Money } from "../../ui/text.tsx";
import { type Elements, langOf, t } from "../../ui/texts/texts.ts";
import type { PricingOption } from "../checkout-api.ts";

interface OptionTicketsProps {
  options: readonly PricingOption[];
  chosen: string | null;
  onChoose: (label: string) => void;
  disabled: boolean;
  /** Beside the heading. */
  note: Elements;
}

/** The pricing options as radio buttons that look like tickets. A single option is shown without a radio button. */
export function OptionTickets({ options, chosen, onChoose, disabled, note }: OptionTicketsProps) {
  const headingId = useId();
  const [only] = options;
  if (only && options.length === 1) {
    return (
      <div className={GROUP}>
        <div className={HEAD}>
          <h3 className="text-sm">{t("Duration")}</h3>
          {note}
        </div>
        <div className={`${TICKET} border-line`}>
          <TicketFace option={only} options={options} />
        </div>
      </div>
    );
  }
  return (
    <div role="radiogroup" aria-labelledby={headingId} className={GROUP}>
      <div className={HEAD}>
        <h3 id={headingId} className="text-sm">
          <span className="noscript:hidden">{t("Choose a duration")}</span>
          <span className="hidden noscript:inline">{t("Prices")}</span>
        </h3>
        {note}
      </div>
      {options.map((option) => (
        <label
          key={option.label}
          className={`${TICKET} border-line transition-colors duration-150 has-checked:border-marigold has-checked:bg-marigold/8 has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 ${
            disabled ? "" : "cursor-pointer hover:border-field noscript:pointer-events-none"
          }`}
        >
          <input
            type="radio"
            // The page of a tool has a group of its own below the dialog, which must not be the same one.
            name={headingId}
            value={option.label}
            checked={option.label === chosen}
            onChange={() => onChoose(option.label)}
            disabled={disabled}
            className="ml-3 size-4.5 scroll-mb-52 shrink-0 appearance-none rounded-full border border-field outline-none noscript:hidden checked:border-[5px] checked:border-marigold checked:bg-on-marigold before:hidden"
          />
          <TicketFace option={option} options={options} />
        </label>
      ))}
    </div>
  );
}

const GROUP = "grid gap-1.5 sm:gap-2";
const HEAD = "flex flex-wrap items-baseline justify-between gap-x-3";
const TICKET = "relative flex min-h-13 items-center rounded-control border bg-card";
/** Half circles cut out of the ticket's edges, at both ends of the dashed line. */
const NOTCHES =
  "before:-left-[6.5px] before:-top-[7px] before:absolute before:size-3 before:rounded-full before:border before:border-inherit before:bg-card before:[clip-path:inset(6px_-1px_-1px_-1px)] after:-bottom-[7px] after:-left-[6.5px] after:absolute after:size-3 after:rounded-full after:border after:border-inherit after:bg-card after:[clip-path:inset(-1px_-1px_6px_-1px)]";

interface TicketFaceProps {
  option: PricingOption;
  options: readonly PricingOption[];
}

function TicketFace({ option, options }: TicketFaceProps) {
  const { chargedPaise: charged } = quotePrice(option.pricePaise, null);
  const original = option.originalPricePaise ?? 0;
  return (
    <>
      <span className="wrap-anywhere flex min-w-0 flex-1 flex-col py-1 pr-1 pl-2.5 sm:pr-2 sm:pl-3">
        <span className="flex flex-wrap items-baseline gap-x-1.5 leading-snug">
          <span lang={langOf(optionLabel(option))} className="font-medium">
            {optionLabel(option)}
          </span>{" "}
          <Saving option={option} options={options} />
        </span>{" "}
        <PricePerDay option={option} />
      </span>
      <span
        className={`${NOTCHES} relative flex w-33 max-w-1/2 shrink-0 items-center justify-end self-stretch border-inherit border-l border-dashed px-2.5 py-1.5 sm:w-38 sm:px-4`}
      >
        <span className="flex flex-wrap items-baseline justify-end gap-x-1.5">
          {original > charged ? (
            <Money struck className="text-xs">
              {formatPaise(original)}
            </Money>
          ) : null}
          <Money className="font-semibold">{formatPaise(charged)}</Money>
        </span>
      </span>
    </>
  );
}
