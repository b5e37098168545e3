import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { formatPaise } from "#core/money.ts";
import { formatDays } from "#core/time.ts";
import { Money } from "../../ui/money.tsx";

type PricedTool = Pick<CatalogueCard, "pricePaise" | "originalPricePaise" | "validityDays" | "hasOptions">;

/** The price and the validity of a pass; with several pricing options, of the cheapest. A free tool needs no pass. */
export function ToolCardPrice({ tool }: { tool: PricedTool }) {
  const { pricePaise, originalPricePaise, validityDays, hasOptions } = tool;
  const free = pricePaise === 0;
  const original = originalPricePaise !== null && originalPricePaise > pricePaise ? originalPricePaise : null;
  return (
    <p className="min-w-0" data-keep-clear="">
      <span className="flex flex-wrap items-baseline gap-x-1.5 sm:gap-x-2">
        {hasOptions ? <span className="text-muted text-xs sm:text-sm">from</span> : null}
        <Money className="font-semibold text-lg tracking-tight sm:text-xl">
          {free ? "Free" : formatPaise(pricePaise)}
        </Money>
      </span>
      <span className="flex flex-wrap gap-x-2 text-muted text-xs tabular-nums leading-4 sm:mt-1 sm:text-sm sm:leading-normal">
        {original === null ? null : <Money struck>{formatPaise(original)}</Money>}
        {/* A line as on the other cards, so that the prices of a row are at one height. */}
        <span>{free ? "No payment" : formatDays(validityDays)}</span>
      </span>
    </p>
  );
}
