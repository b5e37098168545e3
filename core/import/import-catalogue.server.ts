import { and, eq, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { lockEdits } from "#db/edit-lock.ts";
import { insertMany, ROWS_AT_ONCE } from "#db/insert-many.ts";
import { couponCodes, type ToolServer, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { TOOL_LIMITS } from "../catalog/limits.ts";
import { normaliseServerName } from "../catalog/stock.server.ts";
import { sealAccessCode, sealImportedDocument, sealPassword } from "../vault/seal-secrets.ts";
import {
  type ConvertedAccessCode,
  type ConvertedCoupon,
  type ConvertedCredential,
  type ConvertedTool,
  convertAccessCode,
  convertCoupon,
  convertCredential,
  convertTool,
  OLD_PAGES,
  sameName,
  serversNamed,
} from "./convert-catalogue.ts";
import type { KnownTool } from "./convert-purchases.ts";
import { type ImportRun, type NamedDocument, readCollection, type Step } from "./import-run.ts";
import { type Original, saveOriginals } from "./imported-documents.server.ts";

type ToolRow = typeof tools.$inferSelect;

const knownTool = (
  tool: Pick<ToolRow, "id" | "name" | "validityDays" | "pricePaise" | "pricingOptions">,
): KnownTool => ({
  id: tool.id,
  name: tool.name,
  validityDays: tool.validityDays,
  pricesPaise: [tool.pricePaise, ...tool.pricingOptions.map(({ pricePaise }) => pricePaise)],
});

/** Tools of the demo that nobody bought. They give way to the tools of the old shop. */
async function selectUnsoldDemoTools({ executor }: Step, demoSlugs: readonly string[]): Promise<Set<string>> {
  if (demoSlugs.length === 0) return new Set();
  const isBought = sql`exists (select from ${userPurchases} where ${userPurchases.toolId} = ${tools.id})`;
  const isImported = sql`exists (select from ${importedDocuments} where ${importedDocuments.becameId} = ${tools.id})`;
  const rows = await executor
    .select({ id: tools.id, slug: tools.slug })
    .from(tools)
    .where(sql`${tools.deletedAt} is null and not ${isBought} and not ${isImported}`);
  return new Set(rows.filter(({ slug }) => demoSlugs.includes(slug)).map(({ id }) => id));
}

interface FoundTool {
  named: NamedDocument;
  row: ConvertedTool;
  repairs: string[];
}

/**
 * Imports the tools. Documents with one name are one tool, as in the old shop: the active one that was changed last counts. A
 * tool that the shop has, by its address or name, stays as it is; only a tool of the demo that nobody bought gives way.
 */
export async function importTools(
  run: ImportRun,
  step: Step,
  { demoSlugs, removesDemo }: { demoSlugs: readonly string[]; removesDemo: boolean },
): Promise<void> {
  const { executor, tx } = step;
  if (tx) await lockEdits(tx);
  const stored = await executor.select().from(tools);
  const demo = await selectUnsoldDemoTools(step, demoSlugs);
  const place = new ToolPlaces(stored, demo);
  for (const { id, slug, servers } of stored) run.pages.set(id, { slug, servers: [...servers] });
  const originals: Original[] = [];
  for (const found of await readTools(run, step, stored)) {
    const [first, ...others] = found.toSorted(byWeight);
    if (first === undefined) continue;
    const own = place.ownTool(first.row);
    const id = own?.id ?? (await addTool(run, step, first, place));
    const merged = own === undefined ? others : found;
    const name = own?.name ?? first.row.name;
    for (const { named } of merged) {
      const became = `the tool ${name}${own === undefined ? ", whose active and newest document counts" : ", which the shop has and keeps as it is"}`;
      run.report.became("tools", named.documentId, { kind: "merged", became, repairs: [] });
    }
    const tool = knownTool(own ?? { ...first.row, id, name });
    for (const { named, row } of found) {
      run.tools.add(tool, [named.document.id, row.slug, row.name, name]);
      originals.push(originalOf("tools", named, { table: "tools", id }));
    }
  }
  for (const tool of place.keptTools()) run.tools.add(knownTool(tool), [tool.slug, tool.name]);
  const left = place.leftDemoTools();
  if (left.length > 0) await offerDemoRemoval(run, step, left, removesDemo);
  if (tx) await saveOriginals(tx, originals, () => "");
}

/** The fresh documents, those with one name together. Tools that were imported before can be found from now on. */
async function readTools(
  run: ImportRun,
  { executor }: Step,
  stored: readonly ToolRow[],
): Promise<FoundTool[][]> {
  const byId = new Map(stored.map((tool) => [tool.id, tool]));
  const groups = new Map<string, FoundTool[]>();
  for await (const { fresh, known } of readCollection(run, executor, "tools")) {
    for (const { documentId, becameId } of known) {
      const tool = byId.get(becameId ?? "");
      if (tool !== undefined) run.tools.add(knownTool(tool), [documentId, tool.slug, tool.name]);
    }
    for (const named of fresh) {
      const converted = convertTool(named.document, run.ctx.store.timeZone);
      if ("refused" in converted) {
        run.report.refused("tools", named.documentId, converted.refused);
        continue;
      }
      const key = converted.row.name.toLowerCase();
      groups.set(key, [...(groups.get(key) ?? []), { named, ...converted }]);
    }
  }
  return [...groups.values()];
}

interface Weighed {
  row: { isActive: boolean; updatedAt: Date | null; createdAt: Date | null };
}

/** The active ones first, then those that were changed last. */
function byWeight(a: Weighed, b: Weighed): number {
  const changedAt = ({ row }: Weighed) => (row.updatedAt ?? row.createdAt)?.getTime() ?? 0;
  return Number(b.row.isActive) - Number(a.row.isActive) || changedAt(b) - changedAt(a);
}

/** Which rows tools of the import may have. */
class ToolPlaces {
  readonly #stored: readonly ToolRow[];
  readonly #demo: ReadonlySet<string>;
  /** Tools of the demo whose row a tool of the import has got. */
  readonly #replaced = new Set<string>();
  /** Ids by the slug, those of deleted tools too: an address belongs to its tool for good. */
  readonly #slugs: Map<string, string>;

  constructor(stored: readonly ToolRow[], demo: ReadonlySet<string>) {
    this.#stored = stored;
    this.#demo = demo;
    this.#slugs = new Map(stored.map(({ slug, id }) => [slug, id]));
  }

  /** Live tools that no tool of the import replaces. */
  keptTools(): ToolRow[] {
    return this.#stored.filter(({ id, deletedAt }) => deletedAt === null && !this.#demo.has(id));
  }

  leftDemoTools(): ToolRow[] {
    return this.#stored.filter(({ id }) => this.#demo.has(id) && !this.#replaced.has(id));
  }

  /** The tool that the shop has under this address or name, and keeps. */
  ownTool({ slug, name }: ConvertedTool): ToolRow | undefined {
    const kept = this.keptTools();
    return kept.find((tool) => sameName(tool.name, name)) ?? kept.find((tool) => tool.slug === slug);
  }

  /** The row for a new tool: a new one, or that of a tool of the demo with its address or name. */
  take({ slug, name }: ConvertedTool, repairs: string[]): { id: string; slug: string; isDemo: boolean } {
    const demo = this.leftDemoTools();
    const replaced =
      demo.find((tool) => tool.slug === slug) ?? demo.find((tool) => sameName(tool.name, name));
    if (replaced !== undefined) {
      this.#replaced.add(replaced.id);
      repairs.push("it takes the place of a tool of the demo");
      return { id: replaced.id, slug: replaced.slug, isDemo: true };
    }
    let free = slug;
    for (let number = 2; this.#slugs.has(free); number++)
      free = `${slug.slice(0, TOOL_LIMITS.slug - 5)}-${number}`;
    if (free !== slug) repairs.push(`another tool has its address, so it is at /tools/${free}`);
    const id = uuidv7();
    this.#slugs.set(free, id);
    return { id, slug: free, isDemo: false };
  }
}

async function addTool(
  run: ImportRun,
  { tx }: Step,
  { named, row, repairs }: FoundTool,
  places: ToolPlaces,
): Promise<string> {
  const { id, slug, isDemo } = places.take(row, repairs);
  const values = { ...row, slug, createdAt: row.createdAt ?? run.ctx.clock.now() };
  run.report.became("tools", named.documentId, {
    kind: "created",
    became: `the tool ${row.name} (/tools/${slug})`,
    repairs,
  });
  run.pages.set(id, { slug, servers: [...row.servers] });
  if (tx) await writeTool(run, tx, { id, values, isDemo });
  return id;
}

async function writeTool(
  { ctx }: ImportRun,
  tx: NonNullable<Step["tx"]>,
  { id, values, isDemo }: { id: string; values: ConvertedTool & { createdAt: Date }; isDemo: boolean },
): Promise<void> {
  const updatedAt = values.updatedAt ?? ctx.clock.now();
  if (isDemo) {
    await tx
      .update(tools)
      .set({ ...values, updatedAt, deletedAt: null, version: sql`${tools.version} + 1` })
      .where(eq(tools.id, id));
  } else await tx.insert(tools).values({ ...values, id, updatedAt });
  changed(tx, tools);
  const page = OLD_PAGES.find((old) => old.page === values.slug);
  if (page === undefined) return;
  await tx
    .insert(toolPageGrants)
    .values(page.opens.map((toolName) => ({ page: page.page, toolName })))
    .onConflictDoNothing();
  changed(tx, toolPageGrants);
}

async function offerDemoRemoval(
  { ctx, report }: ImportRun,
  { tx }: Step,
  left: readonly ToolRow[],
  removesDemo: boolean,
): Promise<void> {
  const listed = left.map(({ name }) => name).join(", ");
  if (!removesDemo) {
    report.notice(
      `The shop still has ${left.length} tools of the demo that nobody bought: ${listed}. With --remove-demo-tools the import removes them.`,
    );
    return;
  }
  const now = ctx.clock.now();
  for (const { id } of tx ? left : []) {
    await tx
      ?.update(tools)
      .set({ deletedAt: now, isActive: false, version: sql`${tools.version} + 1`, updatedAt: now })
      .where(eq(tools.id, id));
  }
  if (tx) changed(tx, tools);
  report.notice(`Removed: ${left.length} tools of the demo that nobody bought: ${listed}.`);
}

export function originalOf(
  collection: Original["collection"],
  { document, documentId, contentHash }: NamedDocument,
  became: Original["became"],
  fields: Record<string, unknown> = document.fields,
): Original {
  const isSecret = collection === "credentials" || collection === "access_codes";
  return { collection, documentId, contentHash, became, fields, isSecret };
}

const keyOfSignIn = ({ service, email }: Pick<ConvertedCredential, "service" | "email">) =>
  `${service.toLowerCase()} ${email.toLowerCase()}`;

/** Imports the credentials of both collections. Of one service and address the newest password counts. */
export async function importCredentials(run: ImportRun, { executor, tx }: Step): Promise<void> {
  const { ctx, report } = run;
  if (tx) await lockEdits(tx);
  const stored = await executor
    .select({ id: credentials.id, service: credentials.service, email: credentials.email })
    .from(credentials);
  const ids = new Map(stored.map((row) => [keyOfSignIn(row), row.id]));
  const originals: Original[] = [];
  const found: { named: NamedDocument; row: ConvertedCredential; repairs: string[] }[] = [];
  for await (const { fresh } of readCollection(run, executor, "credentials")) {
    for (const named of fresh) {
      const converted = convertCredential(named.document, ctx.store.timeZone);
      if ("refused" in converted) report.refused("credentials", named.documentId, converted.refused);
      else found.push({ named, ...converted });
    }
  }
  const changedAt = ({ row }: (typeof found)[number]) => (row.updatedAt ?? row.createdAt)?.getTime() ?? 0;
  for (const { named, row, repairs } of found.toSorted((a, b) => changedAt(b) - changedAt(a))) {
    const key = keyOfSignIn(row);
    const same = ids.get(key);
    const id = same ?? uuidv7();
    ids.set(key, id);
    originals.push(originalOf("credentials", named, { table: "credentials", id }));
    const became = `the shared sign-in of ${row.service} for ${row.email}`;
    report.became(
      "credentials",
      named.documentId,
      same === undefined
        ? { kind: "created", became, repairs }
        : {
            kind: "merged",
            became: `the same as another one: ${became}, whose newest password counts`,
            repairs: [],
          },
    );
    if (same !== undefined || !tx) continue;
    const now = ctx.clock.now();
    const { password, service, email, isActive } = row;
    await tx.insert(credentials).values({
      id,
      service,
      email,
      isActive,
      passwordSealed: sealPassword(ctx.ports.cipher, id, password),
      signInChangedAt: row.updatedAt ?? row.createdAt ?? now,
      createdAt: row.createdAt ?? now,
      updatedAt: row.updatedAt ?? now,
    });
    changed(tx, credentials);
  }
  if (!tx) return;
  await offerCredentials(
    tx,
    found.map(({ row }) => row.service),
  );
  await saveOriginals(tx, originals, (id, document) => sealImportedDocument(ctx.ports.cipher, id, document));
}

/** The services whose sign-in the old page of the humanizer offered, the best first. */
const HUMANIZER_SERVICES = ["AI Humanizer", "Stealth Writer", "Write Human", "Hix AI"];

async function offerCredentials(tx: NonNullable<Step["tx"]>, services: readonly string[]): Promise<void> {
  const service = HUMANIZER_SERVICES.find((name) => services.some((known) => sameName(known, name)));
  if (service === undefined) return;
  await tx
    .update(tools)
    .set({ credentialService: service })
    .where(and(eq(tools.slug, "aihumanizer"), isNull(tools.credentialService), isNull(tools.credentialId)));
  changed(tx, tools);
}

/** Imports the access codes, and adds the servers that the tools lack. */
export async function importAccessCodes(run: ImportRun, { executor, tx }: Step): Promise<void> {
  const { ctx, report } = run;
  const { cipher } = ctx.ports;
  if (tx) await lockEdits(tx);
  const stored = await executor.select({ hash: accessCodes.simpleCodeHash }).from(accessCodes);
  const hashes = new Set(stored.map(({ hash }) => hash));
  const rows: (typeof accessCodes.$inferInsert)[] = [];
  const originals: Original[] = [];
  const places = new Map<string, ToolServer[]>();
  for (const { named, row, repairs } of (await readAccessCodes(run, executor)).toSorted(byWeight)) {
    const refuse = (why: string) => report.refused("access_codes", named.documentId, why);
    const tool = run.tools.find(row.toolName);
    if (tool === null) {
      refuse(`the shop has no tool "${row.toolName.slice(0, TOOL_LIMITS.name)}"`);
      continue;
    }
    const createdAt = row.createdAt ?? ctx.clock.now();
    const { simpleCode, sessionCode } = row;
    const sealed = sealAccessCode(
      cipher,
      { simpleCode, toolName: tool.name, ...(sessionCode !== null && { sessionCode }) },
      createdAt,
    );
    if (hashes.has(sealed.simpleCodeHash)) {
      refuse("another access code has the same simple code, and is active or newer");
      continue;
    }
    hashes.add(sealed.simpleCodeHash);
    const page = run.pages.get(tool.id);
    if (page === undefined) throw new Error(`the import does not know the servers of ${tool.name}`);
    const { servers } = page;
    const serverName = placeOnServer(row.serverName, servers, { slug: page.slug, repairs });
    places.set(tool.id, servers);
    rows.push({
      ...sealed,
      toolId: tool.id,
      serverName,
      isActive: row.isActive,
      perBuyer: servers.find(({ name }) => name === serverName)?.perBuyer ?? false,
      codeChangedAt: row.updatedAt ?? createdAt,
      createdAt,
      updatedAt: row.updatedAt ?? createdAt,
    });
    originals.push(originalOf("access_codes", named, { table: "access_codes", id: sealed.id }));
    report.became("access_codes", named.documentId, {
      kind: "created",
      became: `a code of ${tool.name}, ${serverName}`,
      repairs,
    });
  }
  if (!tx) return;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await insertMany(tx, accessCodes, rows.slice(at, at + ROWS_AT_ONCE));
  await saveOriginals(tx, originals, (id, document) => sealImportedDocument(cipher, id, document));
  for (const [id, servers] of places) await tx.update(tools).set({ servers }).where(eq(tools.id, id));
  changed(tx, tools);
}

async function readAccessCodes(run: ImportRun, executor: Step["executor"]) {
  const found: { named: NamedDocument; row: ConvertedAccessCode; repairs: string[] }[] = [];
  for await (const { fresh } of readCollection(run, executor, "access_codes")) {
    for (const named of fresh) {
      const converted = convertAccessCode(named.document, run.ctx.store.timeZone);
      if ("refused" in converted) run.report.refused("access_codes", named.documentId, converted.refused);
      else found.push({ named, ...converted });
    }
  }
  return found;
}

/** The name of the server as the tool has it. A server that it lacks is added to `listed`. */
function placeOnServer(
  serverName: string | null,
  listed: ToolServer[],
  { slug, repairs }: { slug: string; repairs: string[] },
): string {
  const wanted = serverName ?? listed[0]?.name ?? "Server 1";
  if (serverName === null) repairs.push(`it names no server, so it is of ${wanted}`);
  const known = listed.find(({ name }) => normaliseServerName(name) === normaliseServerName(wanted));
  if (known !== undefined) return known.name;
  const ids = new Set(listed.map(({ id }) => id));
  let number = listed.length + 1;
  while (ids.has(serversNamed(slug, [wanted], number)[0]?.id ?? "")) number += 1;
  listed.push(...serversNamed(slug, [wanted], number));
  repairs.push(`its tool had no server "${wanted}", which was added`);
  return wanted;
}

/**
 * Imports the coupons.
 *
 * @param completedUses how many completed purchases of the export have each code: a counter below it is wrong
 */
export async function importCoupons(
  run: ImportRun,
  { executor, tx }: Step,
  completedUses: ReadonlyMap<string, number>,
): Promise<void> {
  const { ctx, report } = run;
  if (tx) await lockEdits(tx);
  const stored = await executor
    .select({ id: couponCodes.id, code: couponCodes.code })
    .from(couponCodes)
    .where(isNull(couponCodes.deletedAt));
  const ids = new Map(stored.map(({ id, code }) => [code.toUpperCase(), id]));
  const rows: (typeof couponCodes.$inferInsert)[] = [];
  const originals: Original[] = [];
  for (const found of await readCoupons(run, executor)) {
    const [first] = found.toSorted(byWeight);
    if (first === undefined) continue;
    const { row, repairs } = first;
    const same = ids.get(row.code);
    const tool = run.tools.find(row.toolName);
    if (same === undefined && tool === null) {
      for (const { named } of found)
        report.refused(
          "coupon_codes",
          named.documentId,
          `the shop has no tool "${row.toolName.slice(0, TOOL_LIMITS.name)}"`,
        );
      continue;
    }
    const id = same ?? uuidv7();
    for (const one of found) {
      originals.push(originalOf("coupon_codes", one.named, { table: "coupon_codes", id }));
      if (same === undefined && one === first) continue;
      report.became("coupon_codes", one.named.documentId, {
        kind: "merged",
        became: `the coupon ${row.code}, ${same === undefined ? "which another document has too" : "which the shop has and keeps as it is"}`,
        repairs: [],
      });
    }
    if (same !== undefined || tool === null) continue;
    const counted = Math.max(...found.map((one) => one.row.uses));
    const uses = Math.max(counted, completedUses.get(row.code) ?? 0);
    if (uses > row.uses)
      repairs.push(`${uses} uses count, as another document or the completed purchases say`);
    const createdAt = row.createdAt ?? ctx.clock.now();
    rows.push({
      id,
      code: row.code,
      toolId: tool.id,
      discountPercentage: row.discountPercentage,
      isActive: row.isActive,
      usageLimit: row.usageLimit,
      usesTaken: uses,
      importedUses: uses,
      expiresAt: row.expiresAt,
      lastUsed: row.lastUsed,
      createdAt,
      updatedAt: row.updatedAt ?? createdAt,
    });
    report.became("coupon_codes", first.named.documentId, {
      kind: "created",
      became: `the coupon ${row.code} of ${tool.name}`,
      repairs,
    });
  }
  if (!tx) return;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await insertMany(tx, couponCodes, rows.slice(at, at + ROWS_AT_ONCE));
  await saveOriginals(tx, originals, () => "");
}

/** The fresh documents, those with one code together. */
async function readCoupons(run: ImportRun, executor: Step["executor"]) {
  const groups = new Map<string, { named: NamedDocument; row: ConvertedCoupon; repairs: string[] }[]>();
  for await (const { fresh } of readCollection(run, executor, "coupon_codes")) {
    for (const named of fresh) {
      const converted = convertCoupon(named.document, run.ctx.store.timeZone);
      if ("refused" in converted) {
        run.report.refused("coupon_codes", named.documentId, converted.refused);
        continue;
      }
      const { code } = converted.row;
      groups.set(code, [...(groups.get(code) ?? []), { named, ...converted }]);
    }
  }
  return groups.values();
}
