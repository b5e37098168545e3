import { eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../../context.ts";
import {
  bySimpleCode,
  openAccessCode,
  openPassword,
  sealCodesOfRow,
  sealPassword,
} from "../../vault/seal-secrets.ts";
import { keepCredentialsInUse, selectCredentialsOfServices } from "../keep-credentials.server.ts";
import {
  markServersPerBuyer,
  refuseMixedCodes,
  selectToolsWithCodesPerBuyer,
} from "../server-kinds.server.ts";
import { changedStock, recountStock } from "../stock.server.ts";
import { renameServersOfCodes, savePageGrants } from "../tool-editing/queries.server.ts";
import { findRenamedServers } from "../tool-editing/tool-record.ts";
import type { CatalogueFile } from "./catalogue-file.ts";
import { type CatalogueChange, credentialKey } from "./catalogue-plan.ts";
import type { Shop } from "./read-shop.server.ts";
import {
  getToolId,
  insertAccessCodes,
  insertCoupons,
  insertCredentials,
  insertTools,
  type ToolIds,
} from "./seed-catalogue.server.ts";

/** A file, the shop it was compared with, and the result. */
interface Upload {
  file: CatalogueFile;
  shop: Shop;
  changes: readonly CatalogueChange[];
}

/** The entries of one section of the file with their result. They have the same order. */
function entriesWith<Entry>(
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
 * @param upload.shownStock the stock that the preview showed, of the tools whose stock changes; empty: every stock stays
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

/** Adds and changes the coupons of the file. Their uses stay. */
export async function applyCoupons(
  ctx: Context,
  tx: Transaction,
  upload: Upload,
  ids: ToolIds,
): Promise<void> {
  const { file, shop } = upload;
  await insertCoupons(tx, entriesWith(upload, "coupons", "added", file.coupons), ids);
  const byCode = new Map(shop.coupons.map((coupon) => [coupon.code, coupon]));
  for (const { toolSlug, ...coupon } of entriesWith(upload, "coupons", "changed", file.coupons)) {
    const before = byCode.get(coupon.code);
    if (before === undefined) continue;
    await tx
      .update(couponCodes)
      .set({
        ...coupon,
        toolId: getToolId(ids, toolSlug),
        version: sql`${couponCodes.version} + 1`,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(couponCodes.id, before.id));
    changed(tx, couponCodes);
  }
}

/** Adds and changes the access codes of the file. A code without a session code keeps the session code that it has. */
export async function applyAccessCodes(
  ctx: Context,
  tx: Transaction,
  upload: Upload,
  ids: ToolIds,
): Promise<void> {
  const { file, shop } = upload;
  const { cipher } = ctx.ports;
  const added = entriesWith(upload, "accessCodes", "added", file.accessCodes);
  await insertAccessCodes(ctx, tx, added, { file, ids });
  const findRow = bySimpleCode(cipher, shop.accessCodes);
  for (const code of entriesWith(upload, "accessCodes", "changed", file.accessCodes)) {
    const before = findRow(code.simpleCode);
    if (before === undefined) continue;
    const { simpleCode, sessionCode = openAccessCode(cipher, before).sessionCode } = code;
    await tx
      .update(accessCodes)
      .set({
        ...sealCodesOfRow(cipher, before.id, { simpleCode, sessionCode }),
        // A code that a pass has taken stays as it is: the pass may have another code since.
        ...(before.passId === null && {
          toolId: getToolId(ids, code.toolSlug),
          serverName: code.serverName,
          isActive: code.isActive,
        }),
        version: sql`${accessCodes.version} + 1`,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(accessCodes.id, before.id));
    changed(tx, accessCodes);
  }
  const counted = new Set(await selectToolsWithCodesPerBuyer(tx));
  for (const id of counted) await markServersPerBuyer(tx, id);
  const servers = file.tools.flatMap((tool) =>
    tool.servers
      .filter((server) => server.perBuyer)
      .map(({ name }) => ({ toolSlug: tool.slug, serverName: name, perBuyer: true })),
  );
  for (const { toolSlug, ...server } of [...servers, ...file.accessCodes.filter((code) => code.isActive)]) {
    const toolId = getToolId(ids, toolSlug);
    if (counted.has(toolId)) await refuseMixedCodes(tx, { ...server, toolId });
  }
  for (const id of counted) await recountStock(ctx, tx, id);
}

/** Adds and changes the credentials of the file. Tools keep the sign-in that they give. */
export async function applyCredentials(ctx: Context, tx: Transaction, upload: Upload): Promise<void> {
  const { file, shop } = upload;
  const inUse = await selectCredentialsOfServices(tx);
  await insertCredentials(ctx, tx, entriesWith(upload, "credentials", "added", file.credentials));
  const byKey = new Map(shop.credentials.map((row) => [credentialKey(row), row]));
  for (const entry of entriesWith(upload, "credentials", "changed", file.credentials)) {
    const before = byKey.get(credentialKey(entry));
    if (before === undefined) continue;
    const now = ctx.clock.now();
    const signInChanged =
      before.email !== entry.email || openPassword(ctx.ports.cipher, before) !== entry.password;
    await tx
      .update(credentials)
      .set({
        email: entry.email,
        ...(signInChanged && { signInChangedAt: now }),
        passwordSealed: sealPassword(ctx.ports.cipher, before.id, entry.password),
        isActive: entry.isActive,
        version: sql`${credentials.version} + 1`,
        updatedAt: now,
      })
      .where(eq(credentials.id, before.id));
    changed(tx, credentials);
  }
  await keepCredentialsInUse(ctx, tx, inUse);
}
