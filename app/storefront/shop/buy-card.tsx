import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { formatDays } from "#core/time.ts";
import { OptionTickets } from "../../checkout/dialog/option-tickets.tsx";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { Card } from "../../ui/card.tsx";
import { useShared } from "../../use-shared.ts";
import { decideCardAction } from "../catalogue/card-action.ts";
import { chatNumberOf } from "../chat-inquiry.ts";
import { OptionPrices } from "../offer/option-prices.tsx";
import { StockBadge } from "../offer/stock-badge.tsx";
import { ToolButton } from "../offer/tool-button.tsx";
import { BuyBar, useOutOfView } from "./buy-bar.tsx";
import { WithoutScripts } from "./without-scripts.tsx";

interface BuyCardProps {
  tool: CatalogueCard;
  options: readonly PricingOption[];
  /** The label of the option that the buyer has chosen. */
  chosen: string | null;
  onOption: (label: string) => void;
  /** The end of the buyer's active pass for the tool; null without one. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}

/** The prices of a tool, with a choice where it can be bought here, and the button to buy it. */
export function BuyCard({ tool, options, chosen, onOption, accessUntil, onChoose }: BuyCardProps) {
  const { testPayments, store, timeZone } = useShared();
  const { isOutOfView, ref } = useOutOfView();
  const { name, pricePaise, availableStock, contactOnly } = tool;
  const offered = options.length === 0 ? [singleOption(tool)] : options;
  const option = offered.find(({ label }) => label === chosen) ?? offered[0];
  const action = decideCardAction(tool);
  const isFree = pricePaise === 0;
  const canBuy = action === "buy" && !contactOnly && accessUntil === null;
  const button = (
    <ToolButton
      tool={tool}
      action={action}
      accessUntil={accessUntil}
      shop={{ chatNumber: chatNumberOf(store), timeZone }}
      onChoose={onChoose}
      alone
    />
  );
  return (
    <Card>
      <h2 className="sr-only">Price of {name}</h2>
      <div className={canBuy ? "p-4" : "px-4 py-2"} data-keep-clear="">
        {isFree ? (
          <p className="py-3 font-semibold text-lg tracking-tight">Free</p>
        ) : canBuy ? (
          <OptionTickets
            options={offered}
            chosen={option?.label ?? null}
            onChoose={onOption}
            disabled={false}
            note={null}
          />
        ) : (
          <OptionPrices options={offered} />
        )}
      </div>
      <div className="perforation flex flex-col gap-3 p-4">
        <div ref={ref}>
          {button}
          <WithoutScripts tool={tool} action={action} hasPass={accessUntil !== null} />
        </div>
        <div
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-xs"
          data-keep-clear=""
        >
          {availableStock > 0 ? <StockBadge stock={availableStock} /> : <span>Please check back later.</span>}
          {contactOnly && availableStock > 0 ? (
            <span>Sold on WhatsApp. Message us and we’ll set it up.</span>
          ) : null}
          {canBuy ? (
            <span>{testPayments ? "Test payments: no money moves." : "Refund if we can’t deliver"}</span>
          ) : null}
        </div>
      </div>
      {canBuy && isOutOfView && option ? (
        <BuyBar toolName={name} option={option}>
          {button}
        </BuyBar>
      ) : null}
    </Card>
  );
}

function singleOption({ validityDays, pricePaise, originalPricePaise }: CatalogueCard): PricingOption {
  return { label: formatDays(validityDays), validityDays, pricePaise, originalPricePaise };
}
