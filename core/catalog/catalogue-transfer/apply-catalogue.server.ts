import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { InvalidInputError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { listProblems } from "../catalogue-file.ts";
import { saveSetting } from "../queries.server.ts";
import { STORE_SETTINGS_KEY } from "../seed-catalogue.server.ts";
import { applyAccessCodes, applyCoupons, applyCredentials } from "./apply-codes.server.ts";
import { applyPages, applyTools } from "./apply-tools.server.ts";
import { type CatalogueChange, keepServersPerBuyer, planCatalogue } from "./catalogue-plan.ts";
import { checkPlanFingerprint } from "./plan-fingerprint.ts";
import { tryParseCatalogueFile } from "./preview-catalogue.server.ts";
import { readShop } from "./read-shop.server.ts";
import { applyCatalogueSchema } from "./schemas.ts";
import { summariseUpload } from "./upload-summary.ts";

/**
 * Uploads a catalogue file: changes exactly what its preview showed, in one transaction, and deletes nothing. Stock
 * changes by the difference that the preview showed, so that sales since then are kept.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input' (also for an invalid file, with its problems
 *   under `file`), 'changed-meanwhile' (the current shop or the file is not that of the preview)
 */
export async function applyCatalogue(
  ctx: Context,
  input: z.input<typeof applyCatalogueSchema> | UntrustedInput,
): Promise<{ added: number; changed: number }> {
  requireAdmin(ctx, "replaces-secret");
  const { file: text, fingerprint } = parseInput(applyCatalogueSchema, input);
  const read = await tryParseCatalogueFile(text);
  if (read.file === null) throw new InvalidInputError({ file: [...read.problems] });
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const shop = await readShop(ctx, tx);
    const file = keepServersPerBuyer(read.file, shop);
    const plan = planCatalogue(file, shop, ctx.ports.cipher);
    if (plan.problems.length > 0) throw new InvalidInputError({ file: listProblems(plan.problems) });
    await nextTurn();
    const shownStock = checkPlanFingerprint(fingerprint, plan, text);
    const todo = { file, shop, changes: plan.changes };
    if (kindOf(plan.changes, "store", "store") !== "unchanged")
      await saveSetting(tx, STORE_SETTINGS_KEY, file.store);
    const ids = await applyTools(ctx, tx, { ...todo, shownStock });
    await applyPages(tx, todo, ids);
    await applyCoupons(ctx, tx, todo, ids);
    await applyAccessCodes(ctx, tx, todo, ids);
    await applyCredentials(ctx, tx, todo);
    const summary = summariseUpload(plan.changes);
    await recordAudit(ctx, tx, {
      action: "catalogue.uploaded",
      subjectType: "catalogue",
      details: { ...summary },
    });
    return { added: summary.addedCount, changed: summary.changedCount };
  });
}

function kindOf(
  changes: readonly CatalogueChange[],
  section: CatalogueChange["section"],
  key: string,
): CatalogueChange["kind"] | undefined {
  return changes.find((change) => change.section === section && change.key === key)?.kind;
}
