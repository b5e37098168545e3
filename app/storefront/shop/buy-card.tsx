import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { formatDays } from "#core/time.ts";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { Card } from "../../ui/card.tsx";
import { useShared } from "../../use-shared.ts";
import { decideCardAction } from "../catalogue/card-action.ts";
import { chatNumberOf } from "../chat-inquiry.ts";
import { OptionPrices } from "../offer/option-prices.tsx";
import { StockBadge } from "../offer/stock-badge.tsx";
import { ToolButton } from "../offer/tool-button.tsx";

interface BuyCardProps {
  tool: CatalogueCard;
  options: readonly PricingOption[];
  /** The end of the buyer's active pass for the tool; null without one. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}

/** The prices of a tool and the button to buy it. */
export function BuyCard({ tool, options, accessUntil, onChoose }: BuyCardProps) {
  const { testPayments, store, timeZone } = useShared();
  const { name, pricePaise, originalPricePaise, validityDays, availableStock, contactOnly } = tool;
  const single = {
    label: formatDays(validityDays),
    ...{ validityDays, pricePaise, originalPricePaise },
  };
  const isFree = pricePaise === 0;
  return (
    <Card>
      <h2 className="sr-only">Price of {name}</h2>
      <div className="px-5 py-2">
        {isFree ? (
          <p className="py-3 font-semibold text-lg tracking-tight">Free</p>
        ) : (
          <OptionPrices options={options.length === 0 ? [single] : options} />
        )}
      </div>
      <div className="perforation flex flex-col gap-3 p-5">
        <ToolButton
          tool={tool}
          action={decideCardAction(tool)}
          accessUntil={accessUntil}
          shop={{ chatNumber: chatNumberOf(store), timeZone }}
          onChoose={onChoose}
          alone
        />
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-xs">
          {availableStock > 0 ? <StockBadge stock={availableStock} /> : <span>Please check back later.</span>}
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
