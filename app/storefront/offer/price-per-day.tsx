import { formatPricePerDay, savingPercent } from "#core/checkout/rules.ts";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { VisuallyHidden } from "../../ui/text.tsx";

/** What a day of an option costs. */
export function PricePerDay({ option }: { option: PricingOption }) {
  const perDay = formatPricePerDay(option);
  return perDay === null ? null : <span className="text-muted text-xs tabular-nums">{perDay} a day</span>;
}

/** How much less a day of an option costs than a day of the shortest option. */
export function Saving({ option, options }: { option: PricingOption; options: readonly PricingOption[] }) {
  const saving = savingPercent(option, options);
  return saving === null ? null : (
    <span className="font-medium text-green text-xs tabular-nums">
      Save {saving}%<VisuallyHidden> compared with the shortest option</VisuallyHidden>
    </span>
  );
}
