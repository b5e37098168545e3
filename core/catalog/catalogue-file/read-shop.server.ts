import { asc, eq, isNull } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { couponCodes, type ToolTexts, type Translations, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import type { Context } from "../../context.ts";
import { readStoredSettings, type StoredSettings } from "../store-settings.server.ts";

export interface ShopPage {
  /** Sorted, as are the names. Deleted tools are left out. */
  toolSlugs: string[];
  names: string[];
}

/** Today's catalogue, as a catalogue file describes it. Codes and passwords are sealed. Nothing deleted is in it. */
export interface Shop {
  store: StoredSettings | null;
  /** The oldest first. */
  tools: (typeof tools.$inferSelect)[];
  /** The ids of deleted tools by their slug, which no other tool can have. */
  deletedTools: ReadonlyMap<string, string>;
  /** By slug, of deleted tools too. */
  translations: ReadonlyMap<string, Translations<ToolTexts>>;
  /** The ids of the servers that hand out one code for each buyer, servers of deleted tools too. */
  serversPerBuyer: ReadonlySet<string>;
  /** By the slug of the tool; only pages that something else opens too. */
  pages: ReadonlyMap<string, ShopPage>;
  coupons: Awaited<ReturnType<typeof selectCoupons>>;
  accessCodes: Awaited<ReturnType<typeof selectAccessCodes>>;
  credentials: (typeof credentials.$inferSelect)[];
}

/** Today's catalogue. */
export async function readShop(ctx: Context, executor: Executor): Promise<Shop> {
  const rows = await executor.select().from(tools).orderBy(asc(tools.createdAt), asc(tools.id));
  const live = rows.filter(({ deletedAt }) => deletedAt === null);
  const deleted = rows.filter(({ deletedAt }) => deletedAt !== null);
  return {
    store: await readStoredSettings(ctx, executor),
    tools: live,
    deletedTools: new Map(deleted.map(({ slug, id }) => [slug, id])),
    translations: new Map(rows.map((tool) => [tool.slug, tool.translations])),
    serversPerBuyer: new Set(
      rows.flatMap(({ servers }) => servers.filter(({ perBuyer }) => perBuyer).map(({ id }) => id)),
    ),
    pages: await selectPages(executor, new Set(live.map(({ slug }) => slug))),
    coupons: await selectCoupons(executor),
    accessCodes: await selectAccessCodes(executor),
    credentials: await executor
      .select()
      .from(credentials)
      .orderBy(asc(credentials.createdAt), asc(credentials.id)),
  };
}

async function selectPages(
  executor: Executor,
  slugs: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ShopPage>> {
  const rows = await executor
    .select({ page: toolPageGrants.page, name: toolPageGrants.toolName, slug: tools.slug })
    .from(toolPageGrants)
    .leftJoin(tools, eq(tools.id, toolPageGrants.toolId));
  const pages = new Map<string, ShopPage>();
  for (const { page, name, slug } of rows) {
    if (!slugs.has(page) || (slug !== null && !slugs.has(slug))) continue;
    const found = pages.get(page) ?? { toolSlugs: [], names: [] };
    pages.set(page, found);
    if (slug !== null) found.toolSlugs.push(slug);
    if (name !== null) found.names.push(name);
  }
  for (const { toolSlugs, names } of pages.values()) {
    toolSlugs.sort();
    names.sort();
  }
  return pages;
}

async function selectCoupons(executor: Executor) {
  const rows = await executor
    .select({ coupon: couponCodes, tool: { toolSlug: tools.slug, toolDeletedAt: tools.deletedAt } })
    .from(couponCodes)
    .innerJoin(tools, eq(tools.id, couponCodes.toolId))
    .where(isNull(couponCodes.deletedAt))
    .orderBy(asc(couponCodes.code));
  return rows.map(({ coupon, tool }) => ({ ...coupon, ...tool }));
}

/** The oldest first: buyers get the newest active code of a server. */
async function selectAccessCodes(executor: Executor) {
  return executor
    .select({
      id: accessCodes.id,
      toolSlug: tools.slug,
      serverName: accessCodes.serverName,
      isActive: accessCodes.isActive,
      perBuyer: accessCodes.perBuyer,
      passId: accessCodes.passId,
      simpleCodeSealed: accessCodes.simpleCodeSealed,
      simpleCodeHash: accessCodes.simpleCodeHash,
      simpleCodeKey: accessCodes.simpleCodeKey,
      sessionCodeSealed: accessCodes.sessionCodeSealed,
      sessionCodeHash: accessCodes.sessionCodeHash,
    })
    .from(accessCodes)
    .innerJoin(tools, eq(tools.id, accessCodes.toolId))
    .orderBy(asc(accessCodes.createdAt), asc(accessCodes.id));
}
