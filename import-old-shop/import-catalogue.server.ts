import { and, eq, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import {
  findKeptCredentials,
  saveKeptCredentials,
  selectCredentialsOfServices,
} from "#core/catalog/keep-credentials.server.ts";
import { findServerByName } from "#core/catalog/stock.server.ts";
import { assignServerIds } from "#core/catalog/tool-editing/tool-record.ts";
import { sealAccessCode, sealPassword } from "#core/vault/seal-secrets.ts";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { couponCodes, type ToolServer, tools } from "#db/tables/catalog.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import {
  type ConvertedCredential,
  convertAccessCode,
  convertCoupon,
  convertCredential,
} from "./convert-catalogue.ts";
import { noTool } from "./convert-purchases.ts";
import { sameName } from "./convert-tools.ts";
import { activeThenNewest, type ImportRun, newestFirst, readConverted, type Step } from "./import-run.ts";
import { insertOfDocuments, type Original, originalOf, saveOriginals } from "./imported-documents.server.ts";

const keyOfSignIn = ({ service, email }: Pick<ConvertedCredential, "service" | "email">) =>
  `${service.toLowerCase()} ${email.toLowerCase()}`;

/** Imports the credentials of both collections. The newest password of a service and address counts. */
export async function importCredentials(run: ImportRun, { executor, tx }: Step): Promise<void> {
  const { ctx, report } = run;
  if (tx) await lockEdits(tx);
  const stored = await selectCredentialsOfServices(executor);
  const added: typeof stored = [];
  const ids = new Map(stored.map((row) => [keyOfSignIn(row), row.id]));
  const originals: Original[] = [];
  const { found } = await readConverted(run, executor, "credentials", convertCredential);
  for (const { named, row, repairs } of found.toSorted(newestFirst)) {
    const key = keyOfSignIn(row);
    const same = ids.get(key);
    const id = same ?? uuidv7();
    ids.set(key, id);
    originals.push(originalOf("credentials", named, { table: "credentials", id }));
    const became = `the credential of ${row.service} for ${row.email}`;
    report.became(
      "credentials",
      named.documentId,
      same === undefined
        ? { kind: "created", became, repairs }
        : {
            kind: "merged",
            became: `a duplicate of ${became}; the newest password is kept`,
            repairs: [],
          },
    );
    if (same !== undefined) continue;
    const { password, service, email, isActive } = row;
    added.push({ id, service, email, isActive });
    if (!tx) continue;
    const now = ctx.clock.now();
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
  if (tx)
    await setHumanizerService(
      tx,
      found.map(({ row }) => row.service),
    );
  const kept = await findKeptCredentials(executor, stored, [...stored, ...added]);
  for (const { tool, credential } of kept)
    report.notice(
      `${tool.name} gives its buyers the sign-in ${credential.email}: several fit its service, and another one has to be chosen in the tool's form.`,
    );
  if (!tx) return;
  await saveKeptCredentials(ctx, tx, kept);
  await saveOriginals(tx, ctx.ports.cipher, originals);
}

/** The services whose sign-in the old page of the humanizer offered, the best first. */
const HUMANIZER_SERVICES = ["AI Humanizer", "Stealth Writer", "Write Human", "Hix AI"];

async function setHumanizerService(tx: Transaction, services: readonly string[]): Promise<void> {
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
  if (tx) {
    await lockEdits(tx);
    // An admin may have changed servers since the tools were read.
    const current = await tx
      .select({ id: tools.id, slug: tools.slug, servers: tools.servers })
      .from(tools)
      .orderBy(tools.id)
      .for("no key update");
    for (const { id, slug, servers } of current) run.pages.set(id, { slug, servers });
  }
  const stored = await executor
    .select({ hash: accessCodes.simpleCodeHash, key: accessCodes.simpleCodeKey })
    .from(accessCodes);
  const hashes = new Set(stored.flatMap(({ hash, key }) => key ?? hash));
  const rows: (typeof accessCodes.$inferInsert)[] = [];
  const originals: Original[] = [];
  const lengthened = new Set<string>();
  const { found } = await readConverted(run, executor, "access_codes", convertAccessCode);
  for (const { named, row, repairs } of found.toSorted(activeThenNewest)) {
    const refuse = (why: string) => report.refused("access_codes", named.documentId, why);
    const tool = run.tools.byName(row.toolName);
    if (tool === null) {
      refuse(noTool(row.toolName, run));
      continue;
    }
    const createdAt = row.createdAt ?? ctx.clock.now();
    const { simpleCode, sessionCode } = row;
    const sealed = sealAccessCode(
      cipher,
      { simpleCode, toolName: tool.name, ...(sessionCode !== null && { sessionCode }) },
      createdAt,
    );
    if (hashes.has(sealed.simpleCodeKey)) {
      refuse("another access code has the same simple code, and is active or newer");
      continue;
    }
    hashes.add(sealed.simpleCodeKey);
    const page = run.pages.get(tool.id);
    if (page === undefined) throw new Error(`the import does not know the servers of ${tool.name}`);
    const { server, servers } = placeOnServer(run, page, { serverName: row.serverName, repairs });
    if (servers !== page.servers) {
      run.pages.set(tool.id, { ...page, servers });
      lengthened.add(tool.id);
    }
    rows.push({
      ...sealed,
      toolId: tool.id,
      serverName: server.name,
      isActive: row.isActive,
      perBuyer: server.perBuyer ?? false,
      codeChangedAt: row.updatedAt ?? createdAt,
      createdAt,
      updatedAt: row.updatedAt ?? createdAt,
    });
    originals.push(originalOf("access_codes", named, { table: "access_codes", id: sealed.id }));
    report.became("access_codes", named.documentId, {
      kind: "created",
      became: `a code of ${tool.name}, ${server.name}`,
      repairs,
    });
  }
  if (!tx) return;
  await insertOfDocuments(tx, accessCodes, rows, originals);
  await saveOriginals(tx, ctx.ports.cipher, originals);
  for (const id of lengthened) {
    const servers = run.pages.get(id)?.servers ?? [];
    await tx
      .update(tools)
      .set({ servers, version: sql`${tools.version} + 1`, updatedAt: ctx.clock.now() })
      .where(eq(tools.id, id));
    changed(tx, tools);
  }
}

/** The server of a code as the tool has it, and the servers of the tool, to which one that it lacks is added. */
function placeOnServer(
  run: ImportRun,
  { slug, servers }: { slug: string; servers: ToolServer[] },
  { serverName, repairs }: { serverName: string | null; repairs: string[] },
): { server: ToolServer; servers: ToolServer[] } {
  const wanted = serverName ?? servers[0]?.name ?? "Server 1";
  if (serverName === null) repairs.push(`it names no server, so it is of ${wanted}`);
  // "chatgpt-server-3" is an id that the old page made of its third server.
  const number = /(?:^|[-_ ])server[-_ ]?(\d{1,3})$/i.exec(wanted)?.[1];
  const known =
    findServerByName(servers, wanted) ??
    (number === undefined ? undefined : findServerByName(servers, `Server ${Number(number)}`));
  if (known !== undefined && serverName !== null && !sameName(known.name, wanted))
    repairs.push(`its server "${wanted}" is ${known.name}`);
  if (known !== undefined) return { server: known, servers };
  const name = number !== undefined && /^[a-z\d_-]+$/.test(wanted) ? `Server ${Number(number)}` : wanted;
  const ids = new Set([...run.pages.values()].flatMap((page) => page.servers.map(({ id }) => id)));
  const longer = assignServerIds(slug, { servers: [...servers, { name, url: null }] }, servers, (id) =>
    ids.has(id),
  );
  const server = longer.at(-1);
  if (server === undefined) throw new Error("a tool with a new server has no server");
  repairs.push(`its tool had no server "${name}", which was added`);
  return { server, servers: longer };
}

/** Imports the coupons. The active and newest document of a code counts, with the largest counter. */
export async function importCoupons(run: ImportRun, { executor, tx }: Step): Promise<void> {
  const { ctx, report } = run;
  if (tx) await lockEdits(tx);
  const stored = await executor
    .select({ id: couponCodes.id, code: couponCodes.code })
    .from(couponCodes)
    .where(isNull(couponCodes.deletedAt));
  const ids = new Map(stored.map(({ id, code }) => [code, id]));
  const rows: (typeof couponCodes.$inferInsert)[] = [];
  const originals: Original[] = [];
  const { found: all } = await readConverted(run, executor, "coupon_codes", convertCoupon);
  for (const found of Map.groupBy(all, ({ row }) => row.code).values()) {
    const [first] = found.toSorted(activeThenNewest);
    if (first === undefined) continue;
    const { row, repairs } = first;
    const same = ids.get(row.code);
    const tool = run.tools.byName(row.toolName);
    if (same === undefined && tool === null) {
      for (const { named } of found)
        report.refused("coupon_codes", named.documentId, noTool(row.toolName, run));
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
    const uses = Math.max(...found.map((one) => one.row.uses));
    if (uses > row.uses) repairs.push(`${uses} uses count, as another document with its code says`);
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
  await insertOfDocuments(tx, couponCodes, rows, originals);
  await saveOriginals(tx, ctx.ports.cipher, originals);
}
