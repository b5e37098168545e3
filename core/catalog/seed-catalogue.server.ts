import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import type { CatalogueFile } from "./catalogue-file.ts";
import {
  insertAccessCodes,
  insertCoupons,
  insertCredentials,
  insertGrants,
  insertTools,
} from "./insert-catalogue.server.ts";

/** The setting that records the decision whether to seed. It stays when the owner deletes all tools. */
const SEEDED_MARKER_KEY = "demo-seeded";
/** The setting that holds the store block of the catalogue file. Its shape is `storeSchema`. */
export const STORE_SETTINGS_KEY = "store";

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
    if ((await tx.$count(tools)) > 0) return "not-empty";

    await tx.insert(settings).values({ key: STORE_SETTINGS_KEY, value: file.store }).onConflictDoNothing();
    changed(tx, settings);
    const ids = await insertTools(tx, file.tools, now);
    await insertGrants(tx, file.pages, ids);
    await insertCoupons(tx, file.coupons, ids);
    await insertAccessCodes(ctx, tx, file.accessCodes, { file, ids });
    await insertCredentials(ctx, tx, file.credentials);
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
