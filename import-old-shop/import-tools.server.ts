import { isDeepStrictEqual } from "node:util";
import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { CatalogueFile } from "#core/catalog/catalogue-file/catalogue-file.ts";
import { makeUnique } from "#core/catalog/tool-editing/tool-record.ts";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { couponCodes, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import type { KnownTool } from "./convert-purchases.ts";
import { type ConvertedTool, convertTool, OLD_PAGES, sameName } from "./convert-tools.ts";
import { activeThenNewest, type Found, type ImportRun, readConverted, type Step } from "./import-run.ts";
import { type Original, originalOf, saveOriginals } from "./imported-documents.server.ts";

/** The demo catalogue. Empty lists: the shop has no demo. */
export type Demo = Pick<CatalogueFile, "tools" | "accessCodes" | "coupons" | "credentials">;

type ToolRow = typeof tools.$inferSelect;

const knownTool = (
  tool: Pick<ToolRow, "id" | "name" | "validityDays" | "pricePaise" | "pricingOptions">,
): KnownTool => ({
  id: tool.id,
  name: tool.name,
  validityDays: tool.validityDays,
  pricesPaise: [tool.pricePaise, ...tool.pricingOptions.map(({ pricePaise }) => pricePaise)],
});

/**
 * The tools that come unchanged from the demo and that nobody bought. An imported tool with the same address or name replaces
 * such a tool.
 */
async function findUnsoldDemoTools(
  { executor }: Step,
  stored: readonly ToolRow[],
  demo: Demo,
): Promise<Set<string>> {
  const entries = new Map(demo.tools.map((tool) => [tool.slug, tool]));
  if (entries.size === 0) return new Set();
  const isBought = sql`exists (select from ${userPurchases} where ${userPurchases.toolId} = ${tools.id})`;
  const isImported = sql`exists (select from ${importedDocuments} where ${importedDocuments.becameId} = ${tools.id})`;
  const used = await executor.select({ id: tools.id }).from(tools).where(or(isBought, isImported));
  const usedIds = new Set(used.map(({ id }) => id));
  // A tool that the owner has changed is the owner's.
  const isUnchanged = (tool: ToolRow) => {
    const entry = entries.get(tool.slug);
    return (
      entry !== undefined &&
      entry.name === tool.name &&
      entry.description === tool.description &&
      entry.pricePaise === tool.pricePaise &&
      isDeepStrictEqual(entry.pricingOptions, tool.pricingOptions) &&
      // A demo of a version before them has none.
      [{}, entry.translations].some((known) => isDeepStrictEqual(known, tool.translations))
    );
  };
  const unsold = stored.filter(
    (tool) => tool.deletedAt === null && !usedIds.has(tool.id) && isUnchanged(tool),
  );
  return new Set(unsold.map(({ id }) => id));
}

/**
 * Imports the tools. Documents with one name are one tool, as in the old shop: the active one that was changed last counts. A
 * tool that the shop has, by its address or name, stays as it is; only a tool of the demo that nobody bought is replaced.
 */
export async function importTools(
  run: ImportRun,
  step: Step,
  { demo: catalogue, removesDemo }: { demo: Demo; removesDemo: boolean },
): Promise<void> {
  const { executor, tx } = step;
  if (tx) await lockEdits(tx);
  const stored = await executor.select().from(tools);
  const demo = await findUnsoldDemoTools(step, stored, catalogue);
  const place = new ToolPlaces(stored, demo);
  for (const { id, slug, servers } of stored) run.pages.set(id, { slug, servers });
  const { found: all, known } = await readConverted(run, executor, "tools", convertTool);
  addKnownTools(run, stored, known);
  const originals: Original[] = [];
  for (const found of Map.groupBy(all, ({ row }) => row.name.toLowerCase()).values()) {
    const [first, ...others] = found.toSorted(activeThenNewest);
    if (first === undefined) continue;
    const own = place.ownTool(first.row, first.named.document.id);
    const id = own?.id ?? (await addTool(run, step, first, place));
    const merged = own === undefined ? others : found;
    const name = own?.name ?? first.row.name;
    for (const { named } of merged) {
      const became = `the tool ${name}${own === undefined ? ", whose active and newest document counts" : ", which the shop has and keeps as it is"}`;
      run.report.became("tools", named.documentId, { kind: "merged", became, repairs: [] });
    }
    const tool = knownTool(own ?? { ...first.row, id, name });
    for (const { named, row } of found) {
      run.tools.add(tool, { names: [row.name, name], ids: [named.document.id, row.slug] });
      originals.push(originalOf("tools", named, { table: "tools", id }));
    }
  }
  for (const tool of place.keptTools())
    run.tools.add(knownTool(tool), { names: [tool.name], ids: [tool.slug] });
  const left = place.leftDemoTools();
  for (const { id, name } of left) run.unsoldDemo.set(name.trim().toLowerCase(), id);
  if (left.length > 0) await removeOrListDemoTools(run, step, left, removesDemo);
  const gone = [...place.replacedTools(), ...(removesDemo ? left.map(({ id }) => id) : [])];
  if (tx && gone.length > 0) await removeDemoSecrets(run, tx, catalogue, gone);
  if (tx) await saveOriginals(tx, run.ctx.ports.cipher, originals);
}

/** Tools that were imported before can be found from now on. */
function addKnownTools(
  run: ImportRun,
  stored: readonly ToolRow[],
  known: readonly { documentId: string; becameId: string | null }[],
): void {
  const byId = new Map(stored.map((tool) => [tool.id, tool]));
  for (const { documentId, becameId } of known) {
    const tool = byId.get(becameId ?? "");
    if (tool === undefined) continue;
    // Another tool may have the name of a deleted one by now.
    const names = tool.deletedAt === null ? [tool.name] : [];
    run.tools.add(knownTool(tool), { names, ids: [documentId, tool.slug] });
  }
}

/** Which rows tools of the import may have. */
class ToolPlaces {
  readonly #stored: readonly ToolRow[];
  readonly #demo: ReadonlySet<string>;
  /** Tools of the demo whose row a tool of the import has got. */
  readonly #replaced = new Set<string>();
  /** Slugs of deleted tools too: an address belongs to its tool for good. */
  readonly #slugs: Set<string>;

  constructor(stored: readonly ToolRow[], demo: ReadonlySet<string>) {
    this.#stored = stored;
    this.#demo = demo;
    this.#slugs = new Set(stored.map(({ slug }) => slug));
  }

  /** Live tools that no tool of the import replaces. */
  keptTools(): ToolRow[] {
    return this.#stored.filter(({ id, deletedAt }) => deletedAt === null && !this.#demo.has(id));
  }

  replacedTools(): string[] {
    return [...this.#replaced];
  }

  leftDemoTools(): ToolRow[] {
    return this.#stored.filter(({ id }) => this.#demo.has(id) && !this.#replaced.has(id));
  }

  /** The tool that the shop has under this name, or under the id of the document, and keeps. */
  ownTool({ name }: ConvertedTool, documentId: string): ToolRow | undefined {
    const kept = this.keptTools();
    return (
      kept.find((tool) => sameName(tool.name, name)) ??
      kept.find((tool) => tool.slug === documentId.toLowerCase())
    );
  }

  /** The row for a new tool: a new one, or the row of a tool of the demo with its address or name. */
  take({ slug, name }: ConvertedTool, repairs: string[]): { id: string; slug: string; isDemo: boolean } {
    const demo = this.leftDemoTools();
    const replaced =
      demo.find((tool) => tool.slug === slug) ?? demo.find((tool) => sameName(tool.name, name));
    if (replaced !== undefined) {
      this.#replaced.add(replaced.id);
      repairs.push("it replaces a tool of the demo");
      return { id: replaced.id, slug: replaced.slug, isDemo: true };
    }
    const free = makeUnique(slug, (one) => this.#slugs.has(one));
    if (free !== slug) repairs.push(`another tool has its address, so it is at /tools/${free}`);
    this.#slugs.add(free);
    return { id: uuidv7(), slug: free, isDemo: false };
  }
}

async function addTool(
  run: ImportRun,
  { tx }: Step,
  { named, row, repairs }: Found<ConvertedTool>,
  places: ToolPlaces,
): Promise<string> {
  const { id, slug, isDemo } = places.take(row, repairs);
  const values = { ...row, slug, createdAt: row.createdAt ?? run.ctx.clock.now() };
  run.report.became("tools", named.documentId, {
    kind: "created",
    became: `the tool ${row.name} (/tools/${slug})`,
    repairs,
  });
  run.pages.set(id, { slug, servers: row.servers });
  if (tx) await writeTool(run, tx, { id, values, isDemo });
  return id;
}

/**
 * What the demo says of its tool, and no export says. With the address of the demo the tool would be on sale, and its pass would open
 * nothing that the owner has.
 */
const NOTHING_OF_DEMO = {
  launchUrl: null,
  howToUse: [],
  worksOn: [],
  credentialService: null,
  credentialId: null,
  stockFromCodes: false,
  sellsWhenNotReady: false,
  translations: {},
};

async function writeTool(
  { ctx }: ImportRun,
  tx: Transaction,
  { id, values, isDemo }: { id: string; values: ConvertedTool & { createdAt: Date }; isDemo: boolean },
): Promise<void> {
  const updatedAt = values.updatedAt ?? ctx.clock.now();
  if (isDemo) {
    await tx
      .update(tools)
      .set({ ...values, ...NOTHING_OF_DEMO, updatedAt, deletedAt: null, version: sql`${tools.version} + 1` })
      .where(eq(tools.id, id));
    changed(tx, tools);
  } else {
    await tx.insert(tools).values({ ...values, id, updatedAt });
    changed(tx, tools);
  }
  const page = OLD_PAGES.find((old) => old.page === values.slug);
  if (page === undefined) return;
  await tx
    .insert(toolPageGrants)
    .values(page.opens.map((toolName) => ({ page: page.page, toolName })))
    .onConflictDoNothing();
  changed(tx, toolPageGrants);
}

async function removeOrListDemoTools(
  { ctx, report }: ImportRun,
  { tx }: Step,
  left: readonly ToolRow[],
  removesDemo: boolean,
): Promise<void> {
  const names = left.map(({ name }) => name);
  if (!removesDemo) {
    report.summary.demoTools = names;
    return;
  }
  const now = ctx.clock.now();
  if (tx) {
    const ids = left.map(({ id }) => id);
    await tx
      .update(tools)
      .set({ deletedAt: now, isActive: false, version: sql`${tools.version} + 1`, updatedAt: now })
      .where(inArray(tools.id, ids));
    changed(tx, tools);
  }
  report.notice(`Removed from the demo, because nobody bought them: ${names.join(", ")}.`);
}

/**
 * Removes the invented codes, coupons and credentials of the demo with its tools. They are newer than the old shop's, so buyers
 * would get them.
 */
async function removeDemoSecrets(
  { ctx }: ImportRun,
  tx: Transaction,
  demo: Demo,
  toolIds: readonly string[],
): Promise<void> {
  const hashes = demo.accessCodes.map(({ simpleCode }) => ctx.ports.cipher.lookupHash(simpleCode));
  await tx
    .delete(accessCodes)
    .where(
      and(
        inArray(accessCodes.toolId, [...toolIds]),
        inArray(accessCodes.simpleCodeHash, hashes),
        isNull(accessCodes.passId),
      ),
    );
  changed(tx, accessCodes);
  await tx
    .update(couponCodes)
    .set({ deletedAt: ctx.clock.now(), isActive: false })
    .where(
      and(
        inArray(couponCodes.toolId, [...toolIds]),
        inArray(
          couponCodes.code,
          demo.coupons.map(({ code }) => code),
        ),
        eq(couponCodes.usesTaken, 0),
      ),
    );
  changed(tx, couponCodes);
  if (demo.credentials.length === 0) return;
  const isChosen = sql`exists (select from ${tools} where ${tools.credentialId} = ${credentials.id})`;
  const isOfDemo = or(
    ...demo.credentials.map(({ service, email }) =>
      and(eq(credentials.service, service), eq(credentials.email, email)),
    ),
  );
  await tx.delete(credentials).where(and(isOfDemo, sql`not ${isChosen}`));
  changed(tx, credentials);
}
