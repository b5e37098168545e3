import { desc, gte, sql } from "drizzle-orm";
import type { WorksOn } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { addDays } from "../time.ts";
import { keepUntilChange } from "./kept-values.ts";
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

const WINDOW_DAYS = 30;

/**
 * Every home page needs the answer, and a large shop has tens of thousands of purchases in 30 days: no more than these are
 * read. The index on the time of creation finds them, and they are neighbours in the table.
 */
const NEWEST_PURCHASES = 1_000;

/**
 * The tool that most people want, of those that can be bought here now: the one with the most valid purchases of the last
 * 30 days. Without any purchase, or among equals, the first of the list. Null when nothing can be bought.
 *
 * @param tools the cheapest first
 */
async function findMostWantedTool(ctx: Context, tools: readonly PublicTool[]): Promise<PublicTool | null> {
  const [first, ...others] = tools.filter(canBeBought);
  if (first === undefined || others.length === 0) return first ?? null;
  const purchases = await countRecentPurchases(ctx);
  const countOf = (tool: PublicTool) => purchases.get(tool.id) ?? 0;
  return others.reduce((most, tool) => (countOf(tool) > countOf(most) ? tool : most), first);
}

function canBeBought({ availableStock, contactOnly, pricePaise }: PublicTool): boolean {
  return availableStock > 0 && !contactOnly && pricePaise > 0;
}

/**
 * How many passes buyers have bought of each tool, by the tool's id. Payments of the test mode are left out, and so are
 * passes that were given away, refunded or revoked. An expired pass counts.
 */
async function countRecentPurchases({ db, clock }: Context): Promise<ReadonlyMap<string, number>> {
  const newest = db
    .select({
      toolId: userPurchases.toolId,
      isValid: sql<boolean>`${userPurchases.status} = 'completed' and ${userPurchases.source} = 'checkout'
        and ${userPurchases.endedAt} is null and not ${userPurchases.testMode}`.as("is_valid"),
    })
    .from(userPurchases)
    .where(gte(userPurchases.createdAt, addDays(clock.now(), -WINDOW_DAYS)))
    .orderBy(desc(userPurchases.createdAt))
    .limit(NEWEST_PURCHASES)
    .as("newest");
  const rows = await db
    .select({ toolId: newest.toolId, purchases: sql<number>`count(*)::int` })
    .from(newest)
    .where(sql`${newest.isValid}`)
    .groupBy(newest.toolId);
  return new Map(rows.flatMap(({ toolId, purchases }) => (toolId === null ? [] : [[toolId, purchases]])));
}
