import {
  and,
  asc,
  desc,
  eq,
  gte,
  isNotNull,
  isNull,
  ne,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { tools, type WorksOn } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { type AuthorisedContext, allowAnyone } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { addDays } from "../time.ts";
import { keepUntilChange } from "./keep-until-change.ts";
import { toOfferedPrices } from "./rules.ts";
import { inReadersLanguage } from "./translations.ts";

/** The name of a service for comparing: its letters and digits in lower case. */
const comparable = (service: SQLWrapper): SQL =>
  sql`lower(regexp_replace(${service}, '[^[:alnum:]]', '', 'g'))`;

/**
 * Which rows of `credentials` fit what a tool says about its credential, and how well. A tool with a credential of its own
 * gets that one or none, because another service's sign-in would open another account. Without one, the service's exact name
 * fits best, then a name that is a part of the service's, or contains it. The best fit counts when it is the only one of its
 * rank.
 */
export function matchCredential(choice: { credentialId: SQLWrapper; credentialService: SQLWrapper }): {
  fits: SQL;
  rank: SQL<number>;
} {
  const wanted = comparable(sql`coalesce(${choice.credentialService}, '')`);
  const stored = comparable(credentials.service);
  const isOwn = sql`${credentials.id} = ${choice.credentialId}`;
  const isPart = sql`(strpos(${stored}, ${wanted}) > 0 or strpos(${wanted}, ${stored}) > 0)`;
  // A name without letters and digits is none.
  const isNamed = and(isNull(choice.credentialId), ne(wanted, sql`''`), ne(stored, sql`''`), isPart);
  return {
    fits: sql`(${and(eq(credentials.isActive, true), or(isOwn, isNamed))})`,
    rank: sql`case when ${eq(stored, wanted)} then 1 else 2 end`,
  };
}

/* Conditions on the row of a tool, for any query that has `tools` under its own name. */

/** The price of `toOfferedPrices`, for statements that sort by it or need nothing else. */
export const OFFERED_PRICE = sql<number>`coalesce((select min((priced ->> 'pricePaise')::int)
  from jsonb_array_elements(${tools.pricingOptions}) priced), ${tools.pricePaise})`;

const hasActiveCode = sql`exists (
  select 1 from ${accessCodes}
  where ${accessCodes.toolId} = ${tools.id} and ${accessCodes.isActive} and exists (
    select 1 from jsonb_array_elements(${tools.servers}) server
    where lower(btrim(server ->> 'name')) = lower(btrim(${accessCodes.serverName}))
  )
)`;

const { fits, rank } = matchCredential(tools);

/** The rule of `findToolCredential`: of the best rank, there is exactly one. */
const hasCredential = and(
  or(isNotNull(tools.credentialId), isNotNull(tools.credentialService)),
  sql`(
    select count(*) = 1 from (
      select rank() over (order by ${rank}) as place from ${credentials} where ${fits}
    ) fitting where place = 1
  )`,
);

const hasLaunchPage = or(
  isNotNull(tools.launchUrl),
  sql`jsonb_path_exists(${tools.servers}, '$[*].url ? (@ != null)')`,
);

/**
 * Whether the pass of a tool would open something: a code, a credential or an address. Tools that are free or sold by
 * chat only need none.
 */
export const IS_READY: SQL<boolean> = sql`(${or(
  eq(tools.contactOnly, true),
  eq(OFFERED_PRICE, 0),
  hasLaunchPage,
  hasActiveCode,
  hasCredential,
)})`;

/** Whether the shop shows and sells a tool. Holds and passes of a tool that is not on sale continue. */
export const IS_ON_SALE: SQL<boolean> = sql`(${and(
  eq(tools.isActive, true),
  isNull(tools.deletedAt),
  or(eq(tools.sellsWhenNotReady, true), IS_READY),
)})`;

/** Whether the shop has shown a tool that is not deleted, by what the job has noted or by a purchase. Drafts never were. */
export const WAS_ON_SALE: SQL<boolean> = sql`(${and(
  isNull(tools.deletedAt),
  or(
    eq(tools.wasOnSale, true),
    sql`exists (select from ${userPurchases} where ${userPurchases.toolId} = ${tools.id})`,
  ),
)})`;

const publicColumns = {
  id: tools.id,
  slug: tools.slug,
  name: tools.name,
  description: tools.description,
  category: tools.category,
  badge: tools.badge,
  features: tools.features,
  worksOn: tools.worksOn,
  pricePaise: tools.pricePaise,
  originalPricePaise: tools.originalPricePaise,
  validityDays: tools.validityDays,
  pricingOptions: tools.pricingOptions,
  availableStock: tools.availableStock,
  contactOnly: tools.contactOnly,
  translations: tools.translations,
};

/** The public columns of a tool, with the prices that the shop offers. Its texts are in English, with their translations. */
type PublicTool = Awaited<ReturnType<typeof selectToolsOnSale>>[number];

/** The cheapest first. Tools of the same price by name, so that the order is stable. */
async function selectToolsOnSale(executor: Executor) {
  const rows = await executor
    .select(publicColumns)
    .from(tools)
    .where(IS_ON_SALE)
    .orderBy(asc(OFFERED_PRICE), asc(tools.name));
  return rows.map(toOfferedPrices);
}

const selectBySlug = prepareStatement("find-tool-on-sale", (executor) =>
  executor
    .select(publicColumns)
    .from(tools)
    .where(and(eq(tools.slug, valueFor(tools.slug, "slug")), IS_ON_SALE)),
);

async function selectToolOnSale(executor: Executor, slug: string): Promise<PublicTool | null> {
  const [tool] = await selectBySlug(executor, { slug });
  return tool ? toOfferedPrices(tool) : null;
}

async function selectToolOnSaleById(executor: Executor, id: string): Promise<PublicTool | null> {
  const [tool] = await executor
    .select(publicColumns)
    .from(tools)
    .where(and(eq(tools.id, id), IS_ON_SALE));
  return tool ? toOfferedPrices(tool) : null;
}

/** The slug has priority over the name. Case is ignored. */
async function selectToolOnSaleBySlugOrName(
  executor: Executor,
  slugOrName: string,
): Promise<PublicTool | null> {
  const lowerCase = slugOrName.toLowerCase();
  const [tool] = await executor
    .select(publicColumns)
    .from(tools)
    .where(and(IS_ON_SALE, or(eq(tools.slug, lowerCase), eq(sql`lower(${tools.name})`, lowerCase))))
    .orderBy(sql`${tools.slug} = ${lowerCase} desc`)
    .limit(1);
  return tool ? toOfferedPrices(tool) : null;
}

const inputSchema = z.object({ slug: z.string().trim().toLowerCase().min(1).max(100) });

/** A tool on sale with its options. Open to all. @throws DomainError 'tool-not-found', 'invalid-input' */
export async function getTool(ctx: Context, input: unknown): Promise<PublicTool> {
  allowAnyone(ctx);
  const { slug } = parseInput(inputSchema, input);
  const tool = await selectToolOnSale(ctx.db, slug);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}

/**
 * The name of a tool that is not on sale now, and was, in the reader's language. Open to all.
 *
 * @throws DomainError 'tool-not-found' (also for drafts and deleted tools), 'invalid-input'
 */
export async function getToolOffSale(ctx: Context, input: unknown): Promise<{ slug: string; name: string }> {
  allowAnyone(ctx);
  const { slug } = parseInput(inputSchema, input);
  const [tool] = await ctx.db
    .select({ slug: tools.slug, name: tools.name, translations: tools.translations })
    .from(tools)
    .where(and(eq(tools.slug, slug), WAS_ON_SALE));
  if (tool === undefined) throw new DomainError("tool-not-found");
  return inReadersLanguage(ctx, tool);
}

/**
 * The tool on sale with this slug or, if there is none, with this name. Case is ignored. Open to all.
 *
 * @throws DomainError 'tool-not-found'
 */
export async function findToolBySlugOrName(ctx: Context, slugOrName: string): Promise<PublicTool> {
  allowAnyone(ctx);
  const tool = await selectToolOnSaleBySlugOrName(ctx.db, slugOrName);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}

/** The tool with this id or slug; null when it is not on sale. Open to all. */
export function findToolOnSale(
  ctx: Context,
  by: { id: string } | { slug: string },
): Promise<PublicTool | null> {
  allowAnyone(ctx);
  return "id" in by ? selectToolOnSaleById(ctx.db, by.id) : selectToolOnSale(ctx.db, by.slug);
}

/** A tool in the catalogue. With options, price and validity are taken from the cheapest option. */
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
  availableStock: number;
  contactOnly: boolean;
  /**
   * Its place among the popular tools, from 1 to 3; null: it is none of them. The first is what most people want: its button
   * is the strong one.
   */
  popularPlace: number | null;
}

/** The same with its texts in English, and their translations. */
type StoredCard = CatalogueCard & Pick<PublicTool, "translations">;

/**
 * All tools on sale, the cheapest first. Open to all. The owner's badges say which tools are popular, then the purchases;
 * without any, the most wanted tool is.
 */
export const listActiveTools = keepUntilChange(async (ctx): Promise<readonly StoredCard[]> => {
  const rows = await selectToolsOnSale(ctx.db);
  const purchases = await countRecentPurchases(ctx);
  const byDemand = sortByDemand(rows, purchases);
  const popular = byDemand.filter((tool) => hasPopularBadge(tool) || purchases.has(tool.id));
  const places = popular.length === 0 ? byDemand.slice(0, 1) : popular.slice(0, POPULAR_TOOLS);
  return rows.map((tool) => {
    const place = places.indexOf(tool);
    return { ...toCatalogueCard(tool), popularPlace: place === -1 ? null : place + 1 };
  });
});

/** The same in the reader's language. Open to all. */
export async function listToolsToRead(ctx: Context): Promise<CatalogueCard[]> {
  return (await listActiveTools(ctx)).map((card) => inReadersLanguage(ctx, card));
}

const hasPopularBadge = ({ badge }: Pick<PublicTool, "badge">) =>
  /^(?:popular|best ?seller)$/i.test(badge ?? "");

export function toCatalogueCard<Tool extends Omit<PublicTool, "translations">>(publicTool: Tool) {
  const { id: _id, pricingOptions, ...tool } = publicTool;
  return {
    ...tool,
    popularPlace: null,
    hasOptions: pricingOptions.length > 1,
  };
}

/** The home page shows at most this many popular tools first. */
const POPULAR_TOOLS = 3;

const WINDOW_DAYS = 30;

/**
 * Every home page needs the answer, and a large shop has tens of thousands of purchases in 30 days: no more than these are
 * read. The index on the time of creation finds them, and they are neighbours in the table.
 */
const NEWEST_PURCHASES = 1_000;

/**
 * The tools that can be bought here now, the most wanted first: those with a badge of the owner, then those with the most
 * valid purchases of the last 30 days. Equals stay in the order of the list.
 *
 * @param onSale the cheapest first
 */
function sortByDemand(
  onSale: readonly PublicTool[],
  purchases: ReadonlyMap<string, number>,
): readonly PublicTool[] {
  const badgeOf = (tool: PublicTool) => (hasPopularBadge(tool) ? 1 : 0);
  const countOf = (tool: PublicTool) => purchases.get(tool.id) ?? 0;
  return onSale
    .filter(canBeBought)
    .toSorted((one, other) => badgeOf(other) - badgeOf(one) || countOf(other) - countOf(one));
}

function canBeBought({ availableStock, contactOnly, pricePaise }: PublicTool): boolean {
  return availableStock > 0 && !contactOnly && pricePaise > 0;
}

/**
 * How many passes buyers have bought of each tool, by the tool's id. Payments of the test mode are left out, and so are
 * passes that were given away, refunded or revoked. An expired pass counts.
 */
async function countRecentPurchases({ db, clock }: AuthorisedContext): Promise<ReadonlyMap<string, number>> {
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
