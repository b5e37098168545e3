import { formatPricePerDay, savingPercent } from "#core/checkout/price-per-day.ts";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { VisuallyHidden } from "../../ui/screen-reader-text.tsx";

interface PricePerDayProps {
  option: PricingOption;
  options: readonly PricingOption[];
}

/** What a day of an option costs, and how much less that is than a day of the shortest option. */
export function PricePerDay({ option, options }: PricePerDayProps) {
  const perDay = formatPricePerDay(option);
  const saving = savingPercent(option, options);
  if (perDay === null) return null;
  return (
    <span className="flex flex-wrap gap-x-1.5 text-muted text-xs tabular-nums">
      <span>{perDay} a day</span>
      {saving === null ? null : (
        <span className="font-medium text-green">
          Save {saving}%<VisuallyHidden> compared with the shortest option</VisuallyHidden>
        </span>
      )}
    </span>
  );
}
