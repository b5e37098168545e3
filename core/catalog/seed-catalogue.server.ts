import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { couponCodes, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { sealAccessCode } from "../vault/seal-access-code.ts";
import type { CatalogueFile } from "./catalogue-file.ts";

/** The setting that records the decision whether to seed. It stays when the owner deletes all tools. */
const SEEDED_MARKER_KEY = "demo-seeded";
/** The setting that holds the store block of the catalogue file. Its shape is `storeSchema`. */
export const STORE_SETTINGS_KEY = "store";

/** 'not-empty': the shop already has tools. 'already-decided': an earlier call seeded the shop or found it not empty. */
type SeedOutcome = "seeded" | "not-empty" | "already-decided";

type ToolIds = ReadonlyMap<string, string>;

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
    if ((await tx.$count(tools)) > 0) return "not-empty";

    await tx.insert(settings).values({ key: STORE_SETTINGS_KEY, value: file.store }).onConflictDoNothing();
    const ids = await insertTools(tx, file, now);
    await insertGrants(tx, file, ids);
    await insertCoupons(tx, file, ids);
    await insertAccessCodes(ctx, tx, file, ids);
    await insertCredentials(ctx, tx, file);
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
  return inserted.length === 1;
}

function getToolId(ids: ToolIds, slug: string): string {
  const id = ids.get(slug);
  if (id === undefined) throw new Error(`the catalogue refers to "${slug}", which is not one of its tools`);
  return id;
}

async function insertTools(tx: Transaction, file: CatalogueFile, now: Date): Promise<ToolIds> {
  const rows = file.tools.map((tool, index) => ({
    ...tool,
    id: uuidv7(),
    // One millisecond apart, so that a list sorted by creation time keeps the order of the file.
    createdAt: new Date(now.getTime() + index),
  }));
  if (rows.length > 0) await tx.insert(tools).values(rows);
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}

async function insertGrants(tx: Transaction, file: CatalogueFile, ids: ToolIds): Promise<void> {
  const rows = file.pages.flatMap(({ page, toolSlugs, names }) => [
    ...toolSlugs.map((slug) => ({ page, toolId: getToolId(ids, slug) })),
    ...names.map((toolName) => ({ page, toolName })),
  ]);
  if (rows.length > 0) await tx.insert(toolPageGrants).values(rows);
}

async function insertCoupons(tx: Transaction, file: CatalogueFile, ids: ToolIds): Promise<void> {
  const rows = file.coupons.map(
    ({ code, toolSlug, discountPercentage, usageLimit, expiresAt, isActive }) => ({
      code,
      toolId: getToolId(ids, toolSlug),
      discountPercentage,
      usageLimit: usageLimit ?? null,
      expiresAt: expiresAt ?? null,
      isActive,
    }),
  );
  if (rows.length > 0) await tx.insert(couponCodes).values(rows);
}

async function insertAccessCodes(
  ctx: Context,
  tx: Transaction,
  file: CatalogueFile,
  ids: ToolIds,
): Promise<void> {
  const toolNames = new Map(file.tools.map(({ slug, name }) => [slug, name]));
  const now = ctx.clock.now();
  const rows = file.accessCodes.map(({ toolSlug, serverName, simpleCode, sessionCode, isActive }) => {
    const toolName = toolNames.get(toolSlug) ?? toolSlug;
    return {
      ...sealAccessCode(ctx.ports.cipher, { simpleCode, sessionCode, toolName }, now),
      toolId: getToolId(ids, toolSlug),
      serverName,
      isActive,
    };
  });
  if (rows.length > 0) await tx.insert(accessCodes).values(rows);
}

async function insertCredentials(ctx: Context, tx: Transaction, file: CatalogueFile): Promise<void> {
  const rows = file.credentials.map(({ service, email, password, isActive }) => {
    const id = uuidv7();
    const place = { table: "credentials", rowId: id, column: "password_sealed" };
    return { id, service, email, passwordSealed: ctx.ports.cipher.seal(password, place), isActive };
  });
  if (rows.length > 0) await tx.insert(credentials).values(rows);
}
