import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { formatPaise } from "#core/money.ts";
import { PricePerDay } from "../../checkout/dialog/price-per-day.tsx";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { useShared } from "../../use-shared.ts";
import { decideCardAction } from "../catalogue/card-action.ts";
import { ToolCardButton } from "../catalogue/tool-card-button.tsx";

interface BuyCardProps {
  tool: CatalogueCard;
  options: readonly PricingOption[];
  /** The end of the buyer's active pass for the tool; null without one. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}

/** The prices of a tool and the button to buy it. */
export function BuyCard({ tool, options, accessUntil, onChoose }: BuyCardProps) {
  const { testPayments } = useShared();
  const { name, pricePaise, originalPricePaise, validityDays, availableStock, contactOnly } = tool;
  const single = {
    label: `${validityDays} ${validityDays === 1 ? "day" : "days"}`,
    ...{ validityDays, pricePaise, originalPricePaise },
  };
  const shown = options.length === 0 ? [single] : options;
  const isFree = pricePaise === 0;
  return (
    <Card>
      <h2 className="sr-only">Price of {name}</h2>
      <ul className="divide-y divide-line px-5 py-2" data-keep-clear="">
        {shown.map((option) => (
          <li key={option.label} className="flex flex-wrap items-baseline justify-between gap-x-4 py-3">
            <span>
              <span className="font-medium">{option.label}</span>
              {isFree ? null : <PricePerDay option={option} options={shown} />}
            </span>
            <span className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
              {(option.originalPricePaise ?? 0) > option.pricePaise ? (
                <Money struck className="text-muted text-xs">
                  {formatPaise(option.originalPricePaise ?? 0)}
                </Money>
              ) : null}
              <Money className="font-semibold text-lg tracking-tight">
                {isFree ? "Free" : formatPaise(option.pricePaise)}
              </Money>
            </span>
          </li>
        ))}
      </ul>
      <div className="perforation flex flex-col gap-3 p-5">
        <ToolCardButton
          tool={tool}
          action={decideCardAction(tool)}
          accessUntil={accessUntil}
          onChoose={onChoose}
          alone
        />
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-xs">
          {availableStock > 0 ? (
            <Badge tone={availableStock < 5 ? "marigold" : "neutral"}>{availableStock} left</Badge>
          ) : (
            <span>Please check back later.</span>
          )}
          {contactOnly && availableStock > 0 ? (
            <span>Sold on WhatsApp. Message us and we’ll set it up.</span>
          ) : null}
          {contactOnly || isFree ? null : (
            <span>{testPayments ? "Test payments: no money moves." : "Refund if we can’t deliver"}</span>
          )}
        </div>
      </div>
    </Card>
  );
}
