import { eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../../context.ts";
import type { CatalogueFile } from "../catalogue-file.ts";
import { insertTools, type ToolIds } from "../insert-catalogue.server.ts";
import { changedStock } from "../stock.server.ts";
import { renameServersOfCodes, savePageGrants } from "../tool-editing/queries.server.ts";
import { findRenamedServers } from "../tool-editing/tool-record.ts";
import type { CatalogueChange } from "./catalogue-plan.ts";
import type { Shop } from "./read-shop.server.ts";

/** A file, the shop it was compared with, and the result. */
export interface Upload {
  file: CatalogueFile;
  shop: Shop;
  changes: readonly CatalogueChange[];
}

/** The entries of one section of the file with their result. They have the same order. */
export function entriesWith<Entry>(
  { changes }: Upload,
  section: CatalogueChange["section"],
  kind: CatalogueChange["kind"],
  entries: readonly Entry[],
): Entry[] {
  const results = changes.filter((change) => change.section === section);
  return entries.filter((_entry, at) => results[at]?.kind === kind);
}

/**
 * Adds and changes the tools of the file. The slug of a deleted tool belongs to that tool for good, so a tool with it
 * comes back.
 *
 * @param upload.shownStock the stock that the preview showed, of the tools whose stock changes
 * @returns the ids of all tools of the file
 */
export async function applyTools(
  ctx: Context,
  tx: Transaction,
  upload: Upload & { shownStock: ReadonlyMap<string, number> },
): Promise<ToolIds> {
  const { file, shop, shownStock } = upload;
  const now = ctx.clock.now();
  const changeTool = { version: sql`${tools.version} + 1`, updatedAt: now };
  const added = entriesWith(upload, "tools", "added", file.tools);
  for (const tool of added) {
    const id = shop.deletedTools.get(tool.slug);
    if (id === undefined) continue;
    await tx
      .update(tools)
      .set({ ...tool, ...changeTool, deletedAt: null })
      .where(eq(tools.id, id));
    changed(tx, tools);
  }
  const inserted = await insertTools(
    tx,
    added.filter(({ slug }) => !shop.deletedTools.has(slug)),
    now,
  );
  const bySlug = new Map(shop.tools.map((tool) => [tool.slug, tool]));
  for (const tool of entriesWith(upload, "tools", "changed", file.tools)) {
    const before = bySlug.get(tool.slug);
    if (before === undefined) continue;
    // A stock that the preview did not show as changed stays, whatever was sold since.
    const difference = tool.availableStock - (shownStock.get(tool.slug) ?? tool.availableStock);
    await tx
      .update(tools)
      .set({ ...tool, ...changeTool, availableStock: changedStock(difference) })
      .where(eq(tools.id, before.id));
    changed(tx, tools);
    await renameServersOfCodes(tx, before.id, findRenamedServers(before.servers, tool.servers));
  }
  const known = shop.tools.map(({ slug, id }) => [slug, id] as const);
  return new Map([...shop.deletedTools, ...known, ...inserted]);
}

/** Sets which passes and names open the pages of the file. */
export async function applyPages(tx: Transaction, upload: Upload, ids: ToolIds): Promise<void> {
  const { file, shop } = upload;
  const toIds = (slugs: readonly string[]) => slugs.flatMap((slug) => ids.get(slug) ?? []);
  const pages = [
    ...entriesWith(upload, "pages", "added", file.pages),
    ...entriesWith(upload, "pages", "changed", file.pages),
  ];
  for (const { page, toolSlugs, names } of pages) {
    const before = shop.pages.get(page);
    await savePageGrants(
      tx,
      page,
      { pageNames: before?.names ?? [], pageToolIds: toIds(before?.toolSlugs ?? []) },
      { pageNames: names, pageToolIds: toIds(toolSlugs) },
    );
  }
}
