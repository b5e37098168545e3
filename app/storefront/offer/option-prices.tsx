import { formatPaise } from "#core/money.ts";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { Money } from "../../ui/text.tsx";
import { PricePerDay, Saving } from "./price-per-day.tsx";

/** The options of a tool with their prices, without a choice. */
export function OptionPrices({ options }: { options: readonly PricingOption[] }) {
  return (
    <ul className="divide-y divide-line" data-keep-clear="">
      {options.map((option) => (
        <li key={option.label} className="flex flex-wrap items-baseline justify-between gap-x-4 py-3">
          <span>
            <span className="font-medium">{option.label}</span>{" "}
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
