import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { changed } from "#db/transaction.ts";
import { OFFERED_PRICE } from "./offered-price.server.ts";
import { IS_ON_SALE } from "./on-sale.server.ts";
import { toOfferedPrices } from "./tool-prices.ts";

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
};

/** The public columns of a tool, with the prices that the shop offers. */
export type PublicTool = Awaited<ReturnType<typeof selectToolsOnSale>>[number];

/** The cheapest first. Tools of the same price by name, so that the order is stable. */
export async function selectToolsOnSale(executor: Executor) {
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

export async function selectToolOnSale(executor: Executor, slug: string): Promise<PublicTool | null> {
  const [tool] = await selectBySlug(executor, { slug });
  return tool ? toOfferedPrices(tool) : null;
}

export async function selectToolOnSaleById(executor: Executor, id: string): Promise<PublicTool | null> {
  const [tool] = await executor
    .select(publicColumns)
    .from(tools)
    .where(and(eq(tools.id, id), IS_ON_SALE));
  return tool ? toOfferedPrices(tool) : null;
}

/** The slug has priority over the name. Case is ignored. */
export async function selectToolOnSaleBySlugOrName(
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

export async function selectSetting(executor: Executor, key: string): Promise<unknown> {
  const [row] = await executor.select({ value: settings.value }).from(settings).where(eq(settings.key, key));
  return row?.value;
}

/** A setting without one of its members, for a caller that does not need a large one. */
export async function selectSettingWithout(
  executor: Executor,
  key: string,
  member: string,
): Promise<unknown> {
  const [row] = await executor
    .select({ value: sql<unknown>`${settings.value} - ${member}::text` })
    .from(settings)
    .where(eq(settings.key, key));
  return row?.value;
}

/** A setting without one of its members, and the keys of that member that have a text. */
export async function selectSettingAndFilledKeys(
  executor: Executor,
  key: string,
  member: string,
): Promise<{ value: unknown; filledKeys: string[] } | undefined> {
  const texts = sql`case when jsonb_typeof(${settings.value} -> ${member}::text) = 'object'
    then ${settings.value} -> ${member}::text else '{}'::jsonb end`;
  const [row] = await executor
    .select({
      value: sql<unknown>`${settings.value} - ${member}::text`,
      filledKeys: sql<string[]>`array(select key from jsonb_each_text(${texts}) where trim(value) <> '')`,
    })
    .from(settings)
    .where(eq(settings.key, key));
  return row;
}

export async function saveSetting(executor: Executor, key: string, value: unknown): Promise<void> {
  await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: sql`now()` } });
  changed(executor, settings);
}

/** Whether a tool with this slug exists and is not deleted, on sale or not. */
export async function isToolSlug(executor: Executor, slug: string): Promise<boolean> {
  return (await executor.$count(tools, and(eq(tools.slug, slug), isNull(tools.deletedAt)))) > 0;
}
