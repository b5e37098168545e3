import { formatPricePerDay, savingPercent } from "#core/checkout/pricing.ts";
import { formatPaise } from "#core/money.ts";
import type { PricingOption } from "../../checkout/checkout-api.ts";
import { optionLabel } from "../../time/time-texts.ts";
import { Money, PartlyHidden } from "../../ui/text.tsx";
import { langOf, t } from "../../ui/texts/texts.ts";

/** The options of a tool with their prices, without a choice. */
export function OptionPrices({ options }: { options: readonly PricingOption[] }) {
  return (
    <ul className="divide-y divide-line">
      {options.map((option) => (
        <li key={option.label} className="flex flex-wrap items-baseline justify-between gap-x-4 py-3">
          <span>
            <span lang={langOf(optionLabel(option))} className="font-medium">
              {optionLabel(option)}
            </span>{" "}
            <span className="flex flex-wrap gap-x-1.5">
              <PricePerDay option={option} />
              <Saving option={option} options={options} />
            </span>
          </span>
          <span className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
            {(option.originalPricePaise ?? 0) > option.pricePaise ? (
              <Money struck className="text-muted text-xs">
                {formatPaise(option.originalPricePaise ?? 0)}
              </Money>
            ) : null}
            <Money className="font-semibold text-lg tracking-tight">{formatPaise(option.pricePaise)}</Money>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What a day of an option costs. */
export function PricePerDay({ option }: { option: PricingOption }) {
  const perDay = formatPricePerDay(option);
  return perDay === null ? null : (
    <span className="text-muted text-xs tabular-nums">{t("{price} a day", { price: perDay })}</span>
  );
}

/** How much less a day of an option costs than a day of the shortest option. */
export function Saving({ option, options }: { option: PricingOption; options: readonly PricingOption[] }) {
  const saving = savingPercent(option, options);
  return saving === null ? null : (
    <span className="font-medium text-green text-xs tabular-nums">
      <PartlyHidden
        text={t("Save {saving}% compared with the shortest option", { saving })}
        shown={t("Save {saving}%", { saving })}
      />
    </span>
  );
}
