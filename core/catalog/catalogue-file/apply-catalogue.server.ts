import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { InvalidInputError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { saveStoredSettings } from "../store-settings.server.ts";
import {
  applyAccessCodes,
  applyCoupons,
  applyCredentials,
  applyPages,
  applyTools,
} from "./apply-entries.server.ts";
import { listProblems } from "./catalogue-file.ts";
import { type CatalogueChange, keepStock, planCatalogue, withWhatIsKept } from "./catalogue-plan.ts";
import { checkPlanFingerprint, suggestStock, tryParseCatalogueFile } from "./preview-catalogue.server.ts";
import { readShop } from "./read-shop.server.ts";
import { applyCatalogueSchema } from "./schemas.ts";

/**
 * Uploads a catalogue file: changes exactly what its preview showed, in one transaction, and deletes nothing. Stock
 * stays, or changes by the difference that the preview showed, so that sales since then are kept.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input' (also for an invalid file, with its
 *   problems under `file`), 'changed-meanwhile' (the current shop or the file differs from the preview)
 */
export async function applyCatalogue(
  ctx: Context,
  input: z.input<typeof applyCatalogueSchema> | UntrustedInput,
): Promise<{ added: number; changed: number }> {
  requireAdmin(ctx, "replaces-secret");
  const { file: text, fingerprint, stock } = parseInput(applyCatalogueSchema, input);
  const read = await tryParseCatalogueFile(text);
  if (read.file === null) throw new InvalidInputError({ file: [...read.problems] });
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const shop = await readShop(ctx, tx);
    const file = withWhatIsKept(read.file, shop);
    const plan = planCatalogue(file, shop, ctx.ports.cipher);
    if (plan.problems.length > 0) throw new InvalidInputError({ file: listProblems(plan.problems) });
    await nextTurn();
    const shown = checkPlanFingerprint(fingerprint, plan, text);
    const keepsStock = (stock ?? (await suggestStock(tx, file))) === "keep";
    const shownStock = keepsStock ? new Map<string, number>() : shown;
    const changes = keepsStock ? keepStock(plan.changes) : plan.changes;
    const todo = { file, shop, changes };
    if (kindOf(changes, "store", "store") !== "unchanged") await saveStoredSettings(tx, file.store);
    const ids = await applyTools(ctx, tx, { ...todo, shownStock });
    await applyPages(tx, todo, ids);
    await applyCoupons(ctx, tx, todo, ids);
    await applyAccessCodes(ctx, tx, todo, ids);
    await applyCredentials(ctx, tx, todo);
    const summary = summariseUpload(changes);
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

/** The entries in an audit event. A file may have thousands, and every list of events reads the whole row. */
const MAX_BYTES = 16 * 1024;
/** A longer entry, such as an entry with a new description, is listed with the names of its fields only. */
const MAX_BYTES_OF_ENTRY = 1024;

interface UploadSummary {
  addedCount: number;
  changedCount: number;
  added: Pick<CatalogueChange, "section" | "key">[];
  changed: { section: string; key: string; fields: Partial<CatalogueChange["fields"][number]>[] }[];
  /** How many added and changed entries are only counted. */
  notListed: number;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What an upload changed, as details of its audit event: all counts, and the first entries. */
export function summariseUpload(changes: readonly CatalogueChange[]): UploadSummary {
  let left = MAX_BYTES;
  const takeWhileShort = <Entry>(entries: readonly Entry[]): Entry[] => {
    const end = entries.findIndex((entry) => {
      left -= bytesOf(entry);
      return left < 0;
    });
    return end === -1 ? [...entries] : entries.slice(0, end);
  };
  const addedEntries = changes
    .filter(({ kind }) => kind === "added")
    .map(({ section, key }) => ({ section, key }));
  const changedEntries = changes.filter(({ kind }) => kind === "changed").map(shortenEntry);
  const changed = takeWhileShort(changedEntries);
  const added = takeWhileShort(addedEntries);
  return {
    addedCount: addedEntries.length,
    changedCount: changedEntries.length,
    added,
    changed,
    notListed: addedEntries.length + changedEntries.length - added.length - changed.length,
  };
}

function shortenEntry({ section, key, fields }: CatalogueChange): UploadSummary["changed"][number] {
  const entry = { section, key, fields };
  if (bytesOf(entry) <= MAX_BYTES_OF_ENTRY) return entry;
  return { section, key, fields: fields.map(({ field }) => ({ field })) };
}
