import type { WorksOn } from "#db/tables/catalog.ts";
import type { Context } from "../context.ts";
import { keepUntilChange } from "./keep-until-change.ts";
import { findMostWantedTool } from "./most-wanted-tool.server.ts";
import { type PublicTool, selectToolsOnSale } from "./queries.server.ts";

/** A tool in the catalogue. With options, price and validity are those of the cheapest option. */
export interface CatalogueCard {
  slug: string;
  name: string;
  description: string;
  category: string;
  badge: string | null;
  features: string[];
  worksOn: WorksOn[];
  pricePaise: number;
  originalPricePaise: number | null;
  /** Whole days. */
  validityDays: number;
  hasOptions: boolean;
  /** The validities on offer in whole days, the shortest first. */
  optionDays: number[];
  availableStock: number;
  contactOnly: boolean;
  /** What most people want: its button is the strong one. */
  isPopular: boolean;
}

/**
 * All tools on sale, the cheapest first. Open to all. The owner's badges say which tools are popular; without such a badge
 * the most wanted tool is.
 */
export const listActiveTools = keepUntilChange(async (ctx: Context): Promise<readonly CatalogueCard[]> => {
  const rows = await selectToolsOnSale(ctx.db);
  const cards = rows.map(toCatalogueCard);
  if (cards.some(({ isPopular }) => isPopular)) return cards;
  const mostWanted = await findMostWantedTool(ctx, rows);
  return cards.map((card) => (card.slug === mostWanted?.slug ? { ...card, isPopular: true } : card));
});

export function toCatalogueCard({ id: _id, pricingOptions, ...tool }: PublicTool): CatalogueCard {
  return {
    ...tool,
    isPopular: /^(?:popular|best ?seller)$/i.test(tool.badge ?? ""),
    hasOptions: pricingOptions.length > 1,
    optionDays:
      pricingOptions.length > 0 ? pricingOptions.map((option) => option.validityDays) : [tool.validityDays],
  };
}
