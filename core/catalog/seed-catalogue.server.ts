import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { couponCodes, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { makeSessionCode } from "../access-codes/session-code.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import type { CatalogueFile } from "./catalogue-file.ts";

/** The settings row that says whether to seed was decided; it stays when the owner empties the shop. */
const SEEDED_MARKER_KEY = "demo-seeded";
/** The settings row that holds the catalogue file's store block, as `storeSchema` describes it. */
export const STORE_SETTINGS_KEY = "store";

/** 'not-empty': the shop has tools of its own. 'already-decided': an earlier call seeded, or found it so. */
type SeedOutcome = "seeded" | "not-empty" | "already-decided";

type ToolIds = ReadonlyMap<string, string>;

/**
 * Fills an empty shop from a catalogue file, once. Several processes may call it at the same time; one of them seeds.
 * Codes and passwords are sealed before they are written.
 *
 * @throws DomainError 'forbidden' for anyone but the shop itself
 */
export async function seedCatalogue(ctx: Context, file: CatalogueFile): Promise<SeedOutcome> {
  requireSystem(ctx);
  return inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now();
    if (!(await takeMarker(tx, now))) return "already-decided";
    if ((await tx.$count(tools)) > 0) return "not-empty";

    await tx.insert(settings).values({ key: STORE_SETTINGS_KEY, value: file.store }).onConflictDoNothing();
    const ids = await insertTools(tx, file, now);
    await insertPages(tx, file, ids);
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

/** Whoever inserts the row first decides; the others wait here until that is committed or undone. */
async function takeMarker(tx: Transaction, now: Date): Promise<boolean> {
  const taken = await tx
    .insert(settings)
    .values({ key: SEEDED_MARKER_KEY, value: { at: now.toISOString() } })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  return taken.length === 1;
}

function idOf(ids: ToolIds, slug: string): string {
  const id = ids.get(slug);
  if (id === undefined) throw new Error(`The catalogue refers to "${slug}", which is none of its tools.`);
  return id;
}

async function insertTools(tx: Transaction, file: CatalogueFile, now: Date): Promise<ToolIds> {
  const rows = file.tools.map((tool, index) => ({
    ...tool,
    id: uuidv7(),
    // A millisecond apart, so that a list by time of creation keeps the file's order.
    createdAt: new Date(now.getTime() + index),
  }));
  if (rows.length > 0) await tx.insert(tools).values(rows);
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}

async function insertPages(tx: Transaction, file: CatalogueFile, ids: ToolIds): Promise<void> {
  const rows = file.pages.flatMap(({ page, toolSlugs, names }) => [
    ...toolSlugs.map((slug) => ({ page, toolId: idOf(ids, slug) })),
    ...names.map((toolName) => ({ page, toolName })),
  ]);
  if (rows.length > 0) await tx.insert(toolPageGrants).values(rows);
}

async function insertCoupons(tx: Transaction, file: CatalogueFile, ids: ToolIds): Promise<void> {
  const rows = file.coupons.map(
    ({ code, toolSlug, discountPercentage, usageLimit, expiresAt, isActive }) => ({
      code,
      toolId: idOf(ids, toolSlug),
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
  const { cipher } = ctx.ports;
  const nameOf = new Map(file.tools.map(({ slug, name }) => [slug, name]));
  const rows = file.accessCodes.map(({ toolSlug, serverName, simpleCode, isActive, ...given }) => {
    const id = uuidv7();
    const sessionCode =
      given.sessionCode ?? makeSessionCode(nameOf.get(toolSlug) ?? toolSlug, ctx.clock.now());
    const place = (column: string) => ({ table: "access_codes", rowId: id, column });
    return {
      id,
      toolId: idOf(ids, toolSlug),
      serverName,
      simpleCodeSealed: cipher.seal(simpleCode, place("simple_code_sealed")),
      simpleCodeHash: cipher.lookupHash(simpleCode),
      sessionCodeSealed: cipher.seal(sessionCode, place("session_code_sealed")),
      sessionCodeHash: cipher.lookupHash(sessionCode),
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
