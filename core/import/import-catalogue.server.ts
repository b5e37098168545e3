import { and, eq, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { lockEdits } from "#db/edit-lock.ts";
import { insertMany } from "#db/insert-many.ts";
import { couponCodes, type ToolServer, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { TOOL_LIMITS } from "../catalog/limits.ts";
import { normaliseServerName } from "../catalog/stock.server.ts";
import { sealAccessCode, sealImportedDocument, sealPassword } from "../vault/seal-secrets.ts";
import {
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
  const rows = await executor
    .select({ id: tools.id, slug: tools.slug })
    .from(tools)
    .where(sql`${tools.deletedAt} is null and not ${isBought}`);
  return new Set(rows.filter(({ slug }) => demoSlugs.includes(slug)).map(({ id }) => id));
}

/**
 * Imports the tools. One whose address or name a tool of the shop has is that tool, which stays as it is; only a tool of the
 * demo that nobody bought becomes the old shop's.
 */
export async function importTools(
  run: ImportRun,
  step: Step,
  { demoSlugs, removesDemo }: { demoSlugs: readonly string[]; removesDemo: boolean },
): Promise<void> {
  const { ctx, report } = run;
  const { executor, tx } = step;
  if (tx) await lockEdits(tx);
  const all = await executor.select().from(tools);
  const demo = await selectUnsoldDemoTools(step, demoSlugs);
  const byId = new Map(all.map((tool) => [tool.id, tool]));
  const slugs = new Map(all.map((tool) => [tool.slug, tool]));
  const originals: Original[] = [];
  const names = new Map<string, string>();
  for (const tool of all) {
    if (tool.deletedAt === null && !demo.has(tool.id)) names.set(tool.name.toLowerCase(), tool.id);
  }
  const taken = new Set<string>();

  for await (const { fresh, known } of readCollection(run, executor, "tools")) {
    for (const { documentId, becameId } of known) {
      const tool = byId.get(becameId ?? "");
      if (tool !== undefined) run.tools.add(knownTool(tool), [documentId, tool.slug, tool.name]);
    }
    for (const named of fresh) {
      const converted = convertTool(named.document, ctx.store.timeZone);
      if ("refused" in converted) {
        report.refused("tools", named.documentId, converted.refused);
        continue;
      }
      const { row, repairs } = converted;
      const same = findSameTool(row, { all, names, slugs });
      const isDemo = same !== undefined && demo.has(same.id) && !taken.has(same.id);
      if (
        same !== undefined &&
        !isDemo &&
        names.get(row.name.toLowerCase()) === same.id &&
        !taken.has(same.id)
      ) {
        report.became("tools", named.documentId, {
          kind: "merged",
          became: `the tool ${same.name} (/tools/${same.slug}), which the shop has and keeps as it is`,
          repairs: [],
        });
        originals.push(originalOf("tools", named, { table: "tools", id: same.id }));
        run.tools.add(knownTool(same), [named.documentId, same.slug, same.name]);
        continue;
      }
      const name = freeName(row.name, names, repairs);
      const slug = isDemo ? same.slug : freeSlug(row.slug, slugs, repairs);
      const id = isDemo ? same.id : uuidv7();
      taken.add(id);
      names.set(name.toLowerCase(), id);
      const values = {
        ...row,
        name,
        slug,
        servers: row.servers,
        createdAt: row.createdAt ?? ctx.clock.now(),
      };
      if (isDemo) repairs.push("it takes the place of a tool of the demo");
      report.became("tools", named.documentId, {
        kind: "created",
        became: `the tool ${name} (/tools/${slug})`,
        repairs,
      });
      if (tx) await writeTool(run, tx, { id, values, isDemo });
      const tool = { ...values, id };
      if (!isDemo) slugs.set(slug, { ...tool, deletedAt: null } as ToolRow);
      run.tools.add(knownTool(tool), [named.documentId, slug, name]);
      originals.push(originalOf("tools", named, { table: "tools", id }));
    }
  }
  for (const tool of all)
    if (tool.deletedAt === null && (!demo.has(tool.id) || taken.has(tool.id)))
      run.tools.add(knownTool(tool), [tool.slug, tool.name]);
  const left = all.filter(({ id }) => demo.has(id) && !taken.has(id));
  if (left.length > 0) await offerDemoRemoval(run, step, left, removesDemo);
  if (tx) await saveOriginals(tx, originals, () => "");
}

/** A tool of the shop with the address or, else, the name. */
function findSameTool(
  row: ConvertedTool,
  {
    all,
    names,
    slugs,
  }: { all: readonly ToolRow[]; names: ReadonlyMap<string, string>; slugs: ReadonlyMap<string, ToolRow> },
): ToolRow | undefined {
  const bySlug = slugs.get(row.slug);
  if (bySlug !== undefined && bySlug.deletedAt === null) return bySlug;
  const byName = names.get(row.name.toLowerCase());
  return all.find((tool) =>
    byName === undefined ? tool.deletedAt === null && sameName(tool.name, row.name) : tool.id === byName,
  );
}

function freeName(name: string, names: ReadonlyMap<string, string>, repairs: string[]): string {
  let free = name;
  for (let number = 2; names.has(free.toLowerCase()); number++)
    free = `${name.slice(0, TOOL_LIMITS.name - 6)} (${number})`;
  if (free !== name) repairs.push(`another tool has its name, so it is called "${free}"`);
  return free;
}

function freeSlug(slug: string, slugs: ReadonlyMap<string, unknown>, repairs: string[]): string {
  let free = slug;
  for (let number = 2; slugs.has(free); number++) free = `${slug.slice(0, TOOL_LIMITS.slug - 5)}-${number}`;
  if (free !== slug) repairs.push(`another tool has its address, so it is at /tools/${free}`);
  return free;
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
        : { kind: "merged", became: `${became}, whose password is kept`, repairs: [] },
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
  const toolRows = await executor
    .select({ id: tools.id, slug: tools.slug, servers: tools.servers })
    .from(tools);
  const servers = new Map(toolRows.map(({ id, servers: listed }) => [id, [...listed]]));
  const slugs = new Map(toolRows.map(({ id, slug }) => [id, slug]));
  const stored = await executor.select({ hash: accessCodes.simpleCodeHash }).from(accessCodes);
  const hashes = new Set(stored.map(({ hash }) => hash));
  for await (const { fresh } of readCollection(run, executor, "access_codes")) {
    const rows: (typeof accessCodes.$inferInsert)[] = [];
    const originals: Original[] = [];
    for (const named of fresh) {
      const refuse = (why: string) => report.refused("access_codes", named.documentId, why);
      const converted = convertAccessCode(named.document, ctx.store.timeZone);
      if ("refused" in converted) {
        refuse(converted.refused);
        continue;
      }
      const { row, repairs } = converted;
      const tool = run.tools.find(row.toolName);
      if (tool === null) {
        refuse(`the shop has no tool "${row.toolName.slice(0, TOOL_LIMITS.name)}"`);
        continue;
      }
      const now = ctx.clock.now();
      const sealed = sealAccessCode(
        cipher,
        {
          simpleCode: row.simpleCode,
          toolName: tool.name,
          ...(row.sessionCode !== null && { sessionCode: row.sessionCode }),
        },
        row.createdAt ?? now,
      );
      if (hashes.has(sealed.simpleCodeHash)) {
        refuse("another access code has the same simple code");
        continue;
      }
      hashes.add(sealed.simpleCodeHash);
      const listed = servers.get(tool.id) ?? [];
      servers.set(tool.id, listed);
      const serverName = placeOnServer(row.serverName, listed, {
        slug: slugs.get(tool.id) ?? tool.id,
        repairs,
      });
      rows.push({
        ...sealed,
        toolId: tool.id,
        serverName,
        isActive: row.isActive,
        perBuyer: listed.find(({ name }) => name === serverName)?.perBuyer ?? false,
        codeChangedAt: row.updatedAt ?? row.createdAt ?? now,
        createdAt: row.createdAt ?? now,
        updatedAt: row.updatedAt ?? row.createdAt ?? now,
      });
      originals.push(originalOf("access_codes", named, { table: "access_codes", id: sealed.id }));
      report.became("access_codes", named.documentId, {
        kind: "created",
        became: `a code of ${tool.name}, ${serverName}`,
        repairs,
      });
    }
    if (!tx) continue;
    await insertMany(tx, accessCodes, rows);
    await saveOriginals(tx, originals, (id, document) => sealImportedDocument(cipher, id, document));
  }
  for (const { id, servers: before } of tx ? toolRows : []) {
    const after = servers.get(id) ?? before;
    if (after.length > before.length) await tx?.update(tools).set({ servers: after }).where(eq(tools.id, id));
  }
  if (tx) changed(tx, tools);
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
  for await (const { fresh } of readCollection(run, executor, "coupon_codes")) {
    const rows: (typeof couponCodes.$inferInsert)[] = [];
    const originals: Original[] = [];
    for (const named of fresh) {
      const converted = convertCoupon(named.document, ctx.store.timeZone);
      if ("refused" in converted) {
        report.refused("coupon_codes", named.documentId, converted.refused);
        continue;
      }
      const { row, repairs } = converted;
      const tool = run.tools.find(row.toolName);
      const same = ids.get(row.code);
      if (same !== undefined) {
        report.became("coupon_codes", named.documentId, {
          kind: "merged",
          became: `the coupon ${row.code}, which the shop has and keeps as it is`,
          repairs: [],
        });
        originals.push(originalOf("coupon_codes", named, { table: "coupon_codes", id: same }));
        continue;
      }
      if (tool === null) {
        report.refused(
          "coupon_codes",
          named.documentId,
          `the shop has no tool "${row.toolName.slice(0, TOOL_LIMITS.name)}"`,
        );
        continue;
      }
      const uses = Math.max(row.uses, completedUses.get(row.code) ?? 0);
      if (uses > row.uses) repairs.push(`${uses} completed purchases have it, so that many uses count`);
      const id = uuidv7();
      ids.set(row.code, id);
      const now = ctx.clock.now();
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
        createdAt: row.createdAt ?? now,
        updatedAt: row.updatedAt ?? row.createdAt ?? now,
      });
      originals.push(originalOf("coupon_codes", named, { table: "coupon_codes", id }));
      report.became("coupon_codes", named.documentId, {
        kind: "created",
        became: `the coupon ${row.code} of ${tool.name}`,
        repairs,
      });
    }
    if (!tx) continue;
    await insertMany(tx, couponCodes, rows);
    await saveOriginals(tx, originals, () => "");
  }
}
