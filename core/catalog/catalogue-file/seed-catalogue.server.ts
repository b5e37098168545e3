import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { inParts } from "#db/insert-many.ts";
import { couponCodes, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireSystem } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { sealAccessCode, sealPassword } from "../../vault/seal-secrets.ts";
import { keepCredentialsInUse, selectCredentialsOfServices } from "../keep-credentials.server.ts";
import { markServersPerBuyer, selectToolsWithCodesPerBuyer } from "../server-kinds.server.ts";
import { recountStock } from "../stock.server.ts";
import { STORE_SETTINGS_KEY, saveStoredSettings, selectSetting } from "../store-settings.server.ts";
import type { CatalogueFile } from "./catalogue-file.ts";

/** The setting that records the decision whether to seed. It stays when the owner deletes all tools. */
const SEEDED_MARKER_KEY = "demo-seeded";

/** 'not-empty': the shop already has tools. 'already-decided': an earlier call seeded the shop or found it not empty. */
type SeedOutcome = "seeded" | "not-empty" | "already-decided";

/**
 * Fills an empty shop from a catalogue file, once. Several processes may call it at the same time; one of them seeds.
 * Codes and passwords are sealed before they are written.
 *
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function seedCatalogue(ctx: Context, file: CatalogueFile): Promise<SeedOutcome> {
  requireSystem(ctx);
  return inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    if (!(await insertMarker(tx, now))) return "already-decided";
    // Somebody may be importing tools into the new shop.
    await lockEdits(tx);
    if ((await tx.$count(tools)) > 0) return "not-empty";

    if ((await selectSetting(tx, STORE_SETTINGS_KEY)) === undefined) await saveStoredSettings(tx, file.store);
    const ids = await insertTools(tx, file.tools, now);
    await insertGrants(tx, file.pages, ids);
    await insertCoupons(tx, file.coupons, ids);
    await insertAccessCodes(ctx, tx, file.accessCodes, { file, ids });
    const inUse = await selectCredentialsOfServices(tx);
    await insertCredentials(ctx, tx, file.credentials);
    await keepCredentialsInUse(ctx, tx, inUse);
    await recordAudit(ctx, tx, {
      action: "catalogue.seeded",
      subjectType: "catalogue",
      details: {
        tools: file.tools.length,
        accessCodes: file.accessCodes.length,
        coupons: file.coupons.length,
      },
    });
    return "seeded";
  });
}

/** Concurrent callers wait here until the first insert is committed or rolled back. @returns false: the row exists */
async function insertMarker(tx: Transaction, now: Date): Promise<boolean> {
  const inserted = await tx
    .insert(settings)
    .values({ key: SEEDED_MARKER_KEY, value: { at: now.toISOString() } })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  changed(tx, settings);
  return inserted.length === 1;
}

/* Inserts entries of a catalogue file. Codes and passwords are sealed before they are written. */

/** The id of each tool by its slug. */
export type ToolIds = ReadonlyMap<string, string>;

export function getToolId(ids: ToolIds, slug: string): string {
  const id = ids.get(slug);
  if (id === undefined) throw new Error(`the catalogue refers to "${slug}", which is not one of its tools`);
  return id;
}

export async function insertTools(
  tx: Transaction,
  entries: CatalogueFile["tools"],
  now: Date,
): Promise<ToolIds> {
  const rows = entries.map((tool, index) => ({
    ...tool,
    id: uuidv7(),
    // One millisecond apart, so that a list sorted by creation time keeps the order of the file.
    createdAt: new Date(now.getTime() + index),
  }));
  for (const part of inParts(rows)) await tx.insert(tools).values(part);
  changed(tx, tools);
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}

async function insertGrants(tx: Transaction, pages: CatalogueFile["pages"], ids: ToolIds): Promise<void> {
  const rows = pages.flatMap(({ page, toolSlugs, names }) => [
    ...toolSlugs.map((slug) => ({ page, toolId: getToolId(ids, slug) })),
    ...names.map((toolName) => ({ page, toolName })),
  ]);
  for (const part of inParts(rows)) await tx.insert(toolPageGrants).values(part);
  changed(tx, toolPageGrants);
}

export async function insertCoupons(
  tx: Transaction,
  coupons: CatalogueFile["coupons"],
  ids: ToolIds,
): Promise<void> {
  const rows = coupons.map(({ toolSlug, ...coupon }) => ({ ...coupon, toolId: getToolId(ids, toolSlug) }));
  for (const part of inParts(rows)) await tx.insert(couponCodes).values(part);
  changed(tx, couponCodes);
}

/** @param file for the names of the tools, from which missing session codes are made */
export async function insertAccessCodes(
  ctx: Context,
  tx: Transaction,
  codes: CatalogueFile["accessCodes"],
  { file, ids }: { file: CatalogueFile; ids: ToolIds },
): Promise<void> {
  const toolNames = new Map(file.tools.map(({ slug, name }) => [slug, name]));
  const now = ctx.clock.now();
  const rows = codes.map(({ toolSlug, serverName, simpleCode, sessionCode, perBuyer, isActive }) => {
    const toolName = toolNames.get(toolSlug) ?? toolSlug;
    return {
      ...sealAccessCode(ctx.ports.cipher, { simpleCode, sessionCode, toolName }, now),
      toolId: getToolId(ids, toolSlug),
      serverName,
      perBuyer,
      isActive,
      codeChangedAt: now,
    };
  });
  for (const part of inParts(rows)) await tx.insert(accessCodes).values(part);
  changed(tx, accessCodes);
  for (const id of await selectToolsWithCodesPerBuyer(tx)) {
    await markServersPerBuyer(tx, id);
    await recountStock(ctx, tx, id);
  }
}

export async function insertCredentials(
  ctx: Context,
  tx: Transaction,
  entries: CatalogueFile["credentials"],
): Promise<void> {
  const now = ctx.clock.now();
  const rows = entries.map(({ service, email, password, isActive }) => {
    const id = uuidv7();
    const passwordSealed = sealPassword(ctx.ports.cipher, id, password);
    return { id, service, email, passwordSealed, isActive, signInChangedAt: now };
  });
  for (const part of inParts(rows)) await tx.insert(credentials).values(part);
  changed(tx, credentials);
}
