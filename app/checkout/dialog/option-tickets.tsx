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
        <div className="option-ticket">
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
        <label key={option.label} className="option-ticket">
          <input
            type="radio"
            // The page of a tool has a group of its own below the dialog, which must not be the same one.
            name={headingId}
            value={option.label}
            checked={option.label === chosen}
            onChange={() => onChoose(option.label)}
            disabled={disabled}
          />
          <TicketFace option={option} options={options} />
        </label>
      ))}
    </div>
  );
}

const GROUP = "grid gap-1.5 sm:gap-2";
const HEAD = "flex flex-wrap items-baseline justify-between gap-x-3";

interface TicketFaceProps {
  option: PricingOption;
  options: readonly PricingOption[];
}

function TicketFace({ option, options }: TicketFaceProps) {
  const { chargedPaise: charged } = quotePrice(option.pricePaise, null);
  const original = option.originalPricePaise ?? 0;
  return (
    <>
      <span className="option-face">
        <span>
          <span lang={langOf(optionLabel(option))} className="font-medium">
            {optionLabel(option)}
          </span>{" "}
          <Saving option={option} options={options} />
        </span>{" "}
        <PricePerDay option={option} />
      </span>
      <span className="option-price">
        <span>
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
