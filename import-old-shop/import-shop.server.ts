import { and, eq, isNull, not, sql } from "drizzle-orm";
import { recordAudit } from "#core/audit/record-audit.server.ts";
import { requireSystem } from "#core/authorise.ts";
import { joinImportedPurchases } from "#core/catalog/join-imported-purchases.server.ts";
import { IS_ON_SALE } from "#core/catalog/on-sale.server.ts";
import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import type { ImportedCollection } from "#db/tables/imports.ts";
import { inSavepoint, isExclusionViolation, isUniqueViolation } from "#db/transaction.ts";
import { recogniseCollection } from "./collections.ts";
import { readHashConfig } from "./hash-config.ts";
import { importAccessCodes, importCoupons, importCredentials } from "./import-catalogue.server.ts";
import { importPeople, PEOPLE_COLLECTIONS } from "./import-people.server.ts";
import { importPurchases, planPurchases } from "./import-purchases.server.ts";
import {
  type CollectionFile,
  ImportConflictError,
  type ImportRun,
  ImportStoppedError,
  PeopleIndex,
  type Step,
  ToolIndex,
} from "./import-run.ts";
import { type Demo, importTools } from "./import-tools.server.ts";
import { PURCHASE_COLLECTIONS } from "./planned-passes.ts";
import { ImportReport, type ImportSummary, type ReportListener } from "./report.ts";
import { SeenDocuments } from "./seen-documents.ts";
import { DocumentExportError, type OldExport } from "./source.ts";

export interface ImportOptions {
  /** Reports everything and changes nothing. */
  dryRun: boolean;
  /** An imported tool replaces one of its tools that nobody bought. */
  demo: Demo;
  /** Allows accounts without their passwords when nothing says how these are hashed. */
  withoutPasswords: boolean;
  /** Removes the tools of the demo that nobody bought and that are not in the export. */
  removesDemo: boolean;
  listener: ReportListener;
  signal: AbortSignal;
}

/** The files that are named when an export has no collection. */
const NAMED_FILES = 5;

/** The tools that are named when they are not on sale. */
const NAMED_TOOLS = 20;

/**
 * Imports an old shop. Every collection is one transaction, and the three collections of people share one. An import that is
 * stopped or killed leaves whole collections, and a later import continues: what was imported before is known by its id and stays
 * as it is. Sales go on at the same time.
 *
 * @throws DomainError 'forbidden' unless the actor is the system; ImportStoppedError; ImportConflictError; DocumentExportError
 */
export async function importShop(
  ctx: Context,
  source: OldExport,
  options: ImportOptions,
): Promise<ImportSummary> {
  requireSystem(ctx);
  const report = new ImportReport(options.listener);
  const files = groupFiles(source, report);
  if (files.size === 0) throw new DocumentExportError(nothingFound(source));
  const run: ImportRun = {
    ctx,
    report,
    files,
    signal: options.signal,
    pages: new Map(),
    unsoldDemo: new Map(),
    tools: new ToolIndex(),
    people: new PeopleIndex(),
    payments: new SeenDocuments(),
  };
  // Before anything is imported: an account that was imported without its password may have none for good.
  const hashConfig = await readHashConfig(run, await source.readHashConfig(), options);
  const inStep = (collections: readonly ImportedCollection[], work: (step: Step) => Promise<void>) =>
    runStep(run, { collections, dryRun: options.dryRun }, work);

  await inStep(["tools"], (step) => importTools(run, step, options));
  await inStep(["credentials"], (step) => importCredentials(run, step));
  await inStep(["access_codes"], (step) => importAccessCodes(run, step));
  await inStep(PEOPLE_COLLECTIONS, (step) => importPeople(run, step, hashConfig));
  const plan = await planPurchases(run, { executor: ctx.db, tx: null });
  await inStep(["coupon_codes"], (step) => importCoupons(run, step));
  for (const collection of PURCHASE_COLLECTIONS)
    await inStep([collection], (step) => importPurchases(run, step, collection, plan));
  await inStep([], (step) => joinPurchases(run, step));
  // The planner of the database would otherwise take the tables for as small as they were.
  if (!options.dryRun) await ctx.db.execute(sql`analyze users, user_purchases, imported_documents`);
  return report.summary;
}

/** Purchases of this import or an earlier import whose tool the shop has by now. */
async function joinPurchases(run: ImportRun, { tx }: Step): Promise<void> {
  if (tx === null) return;
  const among = sql`not ${tools.id} = any(${sql.param([...run.unsoldDemo.values()])}::uuid[])`;
  for (const { toolName, count } of await joinImportedPurchases(run.ctx, tx, among))
    run.report.notice(
      `${count} imported ${count === 1 ? "purchase" : "purchases"} whose tool was missing, or had another name, joined the tool ${toolName}.`,
    );
}

/**
 * A line for the terminal about the tools that are not on sale after an import: the home page shows none of them, and the owner would
 * take them for lost.
 *
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function describeToolsNotOnSale(ctx: Context): Promise<string[]> {
  requireSystem(ctx);
  const notReady = await ctx.db
    .select({ name: tools.name })
    .from(tools)
    .where(and(eq(tools.isActive, true), isNull(tools.deletedAt), not(IS_ON_SALE)))
    .orderBy(tools.name);
  const named = notReady.slice(0, NAMED_TOOLS).map(({ name }) => name);
  const more = notReady.length > named.length ? ` and ${notReady.length - named.length} more` : "";
  if (named.length === 0) return [];
  return [
    `Not on sale, because a pass would open nothing: ${named.join(", ")}${more}. Add an access code, a sign-in or a link.`,
  ];
}

/** A check of nothing would look like one of a small shop. */
function nothingFound({ files, ignored }: OldExport): string {
  const found = [...files, ...ignored].slice(0, NAMED_FILES).map(({ path }) => path);
  const names = found.length === 0 ? "It is empty." : `It has ${found.join(", ")}.`;
  return `There is no file of an old shop in it. Name the files after their collections, such as tools.json and user_purchases.json. ${names}`;
}

function groupFiles(
  source: OldExport,
  report: ImportReport,
): ReadonlyMap<ImportedCollection, readonly CollectionFile[]> {
  const groups = new Map<ImportedCollection, CollectionFile[]>();
  for (const { path, why } of source.ignored) report.notice(`${path} was left out: ${why}.`);
  for (const path of source.incomplete)
    report.notice(
      `${path} may not be complete: it has a nextPageToken, so the old shop had more documents to give. Export all pages and run the import again.`,
    );
  const recognised = source.files.flatMap((file) => {
    const found = recogniseCollection(file.name);
    if (found !== null) return [{ file, ...found }];
    report.notice(`${file.path} was left out: the old shop had no collection "${file.name}".`);
    return [];
  });
  // Exact names first, so that their documents keep the ids of the old shop.
  for (const { file, collection: named, isExact } of recognised.toSorted(
    (a, b) => Number(b.isExact) - Number(a.isExact),
  )) {
    if (!isExact) report.notice(`${file.path} is taken for the collection ${named}, whose name is misspelt.`);
    // Beside the profiles, a second collection of this name holds the documents of users. A number says that it is a part of one.
    const isSecond = named === "users" && isExact && groups.has("users") && !/\d/.test(file.name);
    const collection = isSecond && !groups.has("user_documents") ? "user_documents" : named;
    const group = groups.get(collection) ?? [];
    // The parts of a collection share its ids: in a later export a document may be in another part.
    group.push({ file, prefix: isExact ? "" : `${file.name}/` });
    groups.set(collection, group);
  }
  return groups;
}

async function runStep(
  { ctx, report, signal }: ImportRun,
  { collections, dryRun }: { collections: readonly ImportedCollection[]; dryRun: boolean },
  work: (step: Step) => Promise<void>,
): Promise<void> {
  if (signal.aborted) throw new ImportStoppedError();
  if (dryRun) return work({ executor: ctx.db, tx: null });
  try {
    // Without retries: a step that ran twice would report everything twice.
    await inSavepoint(ctx.db, async (tx) => {
      await requireOnlyImport(tx);
      await work({ executor: tx, tx });
      if (signal.aborted) throw new ImportStoppedError();
      for (const collection of collections) {
        const summary = report.of(collection);
        if (summary.created + summary.merged === 0) continue;
        await recordAudit(ctx, tx, {
          action: "shop.imported",
          subjectType: "import",
          details: { collection, ...summary },
        });
      }
    });
  } catch (error) {
    if (isDatabaseUnavailable(error))
      throw new ImportStoppedError("The database stopped answering.", { cause: error });
    // Somebody signed up or bought something between the reading and the writing.
    const isConflict = isUniqueViolation(error) || isExclusionViolation(error);
    throw isConflict ? new ImportConflictError(collections.join(", "), { cause: error }) : error;
  }
}

/** @throws ImportStoppedError while another import writes */
async function requireOnlyImport(tx: Transaction): Promise<void> {
  const { rows } = await tx.execute(
    sql`select pg_try_advisory_xact_lock(hashtextextended('import of an old shop', 0)) as locked`,
  );
  if (rows[0]?.locked !== true) throw new ImportStoppedError("Another import is running.");
}
