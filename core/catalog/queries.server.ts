import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";

const onSale = and(eq(tools.isActive, true), isNull(tools.deletedAt));

const shown = {
  id: tools.id,
  slug: tools.slug,
  name: tools.name,
  description: tools.description,
  category: tools.category,
  badge: tools.badge,
  features: tools.features,
  pricePaise: tools.pricePaise,
  originalPricePaise: tools.originalPricePaise,
  validityDays: tools.validityDays,
  pricingOptions: tools.pricingOptions,
  availableStock: tools.availableStock,
  contactOnly: tools.contactOnly,
};

/** What anyone may know of a tool. Prices in paise, validity in days. */
export type PublicTool = Awaited<ReturnType<typeof selectToolsOnSale>>[number];

/** Cheapest first; the same price by name, so that the order never jumps. */
export async function selectToolsOnSale(executor: Executor) {
  return executor.select(shown).from(tools).where(onSale).orderBy(asc(tools.pricePaise), asc(tools.name));
}

export async function selectToolOnSale(executor: Executor, slug: string): Promise<PublicTool | null> {
  const [tool] = await executor
    .select(shown)
    .from(tools)
    .where(and(eq(tools.slug, slug), onSale));
  return tool ?? null;
}

/** Found by slug, else by its name; neither in any particular case. */
export async function selectToolOnSaleBySlugOrName(
  executor: Executor,
  wanted: string,
): Promise<PublicTool | null> {
  const slug = wanted.toLowerCase();
  const [tool] = await executor
    .select(shown)
    .from(tools)
    .where(and(onSale, or(eq(tools.slug, slug), eq(sql`lower(${tools.name})`, slug))))
    .orderBy(sql`${tools.slug} = ${slug} desc`)
    .limit(1);
  return tool ?? null;
}

export async function selectSetting(executor: Executor, key: string): Promise<unknown> {
  const [row] = await executor.select({ value: settings.value }).from(settings).where(eq(settings.key, key));
  return row?.value;
}
