import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, inArray, sql } from "drizzle-orm";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureFirstAdmin } from "#core/accounts/set-up-admin.server.ts";
import { signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import { parseCatalogueFile } from "#core/catalog/catalogue-file/catalogue-file.ts";
import { seedCatalogue } from "#core/catalog/catalogue-file/seed-catalogue.server.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { storedStatus } from "#core/passes/purchase-states.ts";
import { hasNoEnd } from "#core/time.ts";
import { openAccessCode, openPassword } from "#core/vault/seal-secrets.ts";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import {
  ACCESS,
  ACCESS_CODES,
  ACCOUNTS,
  ADMIN_EMAIL,
  COUPONS,
  CREDENTIALS,
  CUT_LINE,
  FILES,
  IGNORED_FILES,
  IMPORTED_AT,
  MESSES,
  MISSPELT_FILE,
  PURCHASES,
  SECRETS,
  TOOLS,
  TOTALS,
} from "#tests/fixtures/old-shop/expected.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { recogniseCollection } from "./collections.ts";
import { openDocumentExport } from "./document-export/document-export.ts";
import { describeToolsNotOnSale, importShop } from "./import-shop.server.ts";
import type { Demo } from "./import-tools.server.ts";
import { formatLine, type ImportSummary, type ReportLine } from "./report.ts";

const FOLDER = join(process.cwd(), "tests/fixtures/old-shop");
const NOW = new Date(IMPORTED_AT);
const NO_DEMO: Demo = { tools: [], accessCodes: [], coupons: [], credentials: [] };

async function openShop() {
  const shop = openTestShop(await freshDatabase(), { clock: { now: () => NOW }, adminEmail: ADMIN_EMAIL });
  await ensureFirstAdmin(shop.system(), { password: "the owner's own password" });
  return shop;
}

interface Imported {
  summary: ImportSummary;
  lines: ReportLine[];
}

async function runImport(
  shop: Awaited<ReturnType<typeof openShop>>,
  {
    folder = FOLDER,
    ...options
  }: {
    dryRun?: boolean;
    demo?: Demo;
    removesDemo?: boolean;
    withoutPasswords?: boolean;
    folder?: string;
  } = {},
): Promise<Imported> {
  const source = await openDocumentExport(folder, {
    isCollection: (name) => recogniseCollection(name) !== null,
  });
  const lines: ReportLine[] = [];
  try {
    const summary = await importShop(shop.system(), source, {
      dryRun: false,
      demo: NO_DEMO,
      removesDemo: false,
      withoutPasswords: false,
      ...options,
      signal: new AbortController().signal,
      listener: {
        onLine: (line) => lines.push(line),
        onNotice: () => undefined,
        onProgress: () => undefined,
      },
    });
    return { summary, lines };
  } finally {
    await source.close();
  }
}

/** The name that a document of the fixture has in the shop: "crediantials/cr-1" is no first file of its collection. */
function nameInShop(document: string): { collection: string; documentId: string } {
  const at = document.indexOf("/");
  const file = document.slice(0, at);
  const isFirst = recogniseCollection(file)?.isExact ?? false;
  return {
    collection: FILES[file]?.collection ?? "",
    documentId: isFirst ? document.slice(at + 1) : document,
  };
}

const shop = await openShop();
const { db } = shop;
let dry: Imported;
let first: Imported;
afterAll(() => shop.close());

async function countRows(): Promise<Record<string, number>> {
  const tables = {
    users,
    authAccounts,
    tools,
    couponCodes,
    userPurchases,
    accessCodes,
    credentials,
    importedDocuments,
    auditEvents,
  };
  const counts: Record<string, number> = {};
  for (const [name, table] of Object.entries(tables)) counts[name] = await db.$count(table);
  return counts;
}

let before: Record<string, number>;
let afterDryRun: Record<string, number>;
beforeAll(async () => {
  before = await countRows();
  dry = await runImport(shop, { dryRun: true });
  afterDryRun = await countRows();
  first = await runImport(shop);
});

async function idsOf(documents: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const document of documents) {
    const { collection, documentId } = nameInShop(document);
    const [found] = await db
      .select({ id: importedDocuments.becameId })
      .from(importedDocuments)
      .where(
        sql`${importedDocuments.collection} = ${collection} and ${importedDocuments.documentId} = ${documentId}`,
      );
    ids.push(found?.id ?? `${document} became no row`);
  }
  return ids;
}

/** The only row that all documents became. */
async function idOf(documents: readonly string[]): Promise<string> {
  const ids = new Set(await idsOf(documents));
  expect([...ids], documents.join(", ")).toHaveLength(1);
  return [...ids][0] ?? "";
}

const at = (text: string | null | undefined) => (text ? new Date(text) : null);

test("a dry run reports the same as the import and changes nothing", () => {
  expect(afterDryRun).toEqual(before);
  expect(dry.summary).toEqual(first.summary);
  expect(dry.lines.map(formatLine).toSorted()).toEqual(first.lines.map(formatLine).toSorted());
});

describe("tools", () => {
  test.each(TOOLS)("the imported tool $name has what is expected", async ({
    documents,
    servers,
    ...expected
  }) => {
    const [tool] = await db
      .select()
      .from(tools)
      .where(eq(tools.id, await idOf(documents)));
    expect(tool).toMatchObject(expected);
    const names = tool?.servers.map(({ name }) => name) ?? [];
    for (const server of servers) expect(names).toContain(server);
  });
});

describe("people", () => {
  test.each(ACCOUNTS)("the imported account $email has what is expected", async (expected) => {
    const [account] = await db.select().from(users).where(eq(users.email, expected.email));
    const { role, provider, isActive, name } = expected;
    expect(account).toMatchObject({ role, provider, isActive, name });
    if (expected.image !== undefined) expect(account?.image).toBe(expected.image);
    if (expected.emailVerified !== undefined) expect(account?.emailVerified).toBe(expected.emailVerified);
    if (expected.createdAt) expect(account?.createdAt).toEqual(at(expected.createdAt));
    if (expected.lastLogin !== undefined) expect(account?.lastLogin).toEqual(at(expected.lastLogin));
    for (const id of await idsOf(expected.documents)) expect(id).toBe(account?.id);
    const { authenticator } = shop.system().ports;
    const check = (password: string) => authenticator.checkPassword({ email: expected.email, password });
    if (expected.password !== null) expect((await check(expected.password)).userId).toBe(account?.id);
    for (const password of expected.refusedPasswords ?? [])
      await expect(check(password)).rejects.toMatchObject({ code: "wrong-password" });
    const [google] = await db
      .select({ subject: authAccounts.accountId })
      .from(authAccounts)
      .where(sql`${authAccounts.userId} = ${account?.id} and ${authAccounts.providerId} = 'google'`);
    expect(google?.subject ?? null).toBe(expected.googleId);
  });
});

describe("purchases", () => {
  test.each(PURCHASES)("the imported purchase $documents has what is expected", async (expected) => {
    const id = await idOf(expected.documents);
    const [purchase] = await db.select().from(userPurchases).where(eq(userPurchases.id, id));
    const { status, amountPaise } = expected;
    const stored = storedStatus(status);
    expect(purchase).toMatchObject({ ...stored, amountPaise, source: "import", stockState: "none" });
    const [owner] = await db.select({ id: users.id }).from(users).where(eq(users.email, expected.owner));
    expect(purchase?.userId).toBe(owner?.id);
    expect(purchase?.toolId).toBe(expected.tool === null ? null : await idOf([expected.tool]));
    if (expected.startsAt && status !== "failed" && status !== "pending")
      expect(purchase?.startsAt).toEqual(at(expected.startsAt));
    expect(purchase?.orderNumber).toMatch(/^[2-9A-Z]{8}$/);
    if (expected.expiresAt) expect(purchase?.expiresAt).toEqual(at(expected.expiresAt));
    if (expected.validityDays) expect(purchase?.validityDays).toBe(expected.validityDays);
    if (expected.couponCode) expect(purchase?.couponCode).toBe(expected.couponCode);
    if (expected.superseded !== null)
      expect(purchase?.endedReason).toBe(expected.superseded ? "superseded" : null);
    const latest = new Date(Math.max(NOW.getTime(), at(expected.startsAt)?.getTime() ?? 0));
    expect(purchase?.startsAt === null || (purchase?.startsAt ?? NOW) <= latest).toBe(true);
  });

  test("everybody has access to the same tools until the same moment after the import", async () => {
    const rows = await db
      .select({
        email: users.email,
        toolId: userPurchases.toolId,
        until: sql<string>`max(${userPurchases.expiresAt})`,
      })
      .from(userPurchases)
      .innerJoin(users, eq(users.id, userPurchases.userId))
      .where(
        sql`${userPurchases.status} in ('completed', 'active') and ${userPurchases.endedAt} is null
          and ${userPurchases.startsAt} <= ${NOW} and ${userPurchases.expiresAt} > ${NOW}`,
      )
      .groupBy(users.email, userPurchases.toolId);
    const found = rows.map(
      ({ email, toolId, until }) => `${email} ${toolId} ${new Date(until).toISOString()}`,
    );
    const expected: string[] = [];
    for (const { email, tool, until } of ACCESS)
      expected.push(`${email} ${tool === null ? null : await idOf([tool])} ${new Date(until).toISOString()}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });
});

test.each(COUPONS)("coupon $code", async ({ documents, tool, uses, expiresAt, lastUsed, ...expected }) => {
  const [coupon] = await db
    .select()
    .from(couponCodes)
    .where(eq(couponCodes.id, await idOf(documents)));
  expect(coupon).toMatchObject({
    ...expected,
    usesTaken: uses,
    importedUses: uses,
    toolId: await idOf([tool]),
  });
  expect(coupon?.expiresAt).toEqual(at(expiresAt));
  if (lastUsed !== undefined) expect(coupon?.lastUsed).toEqual(at(lastUsed));
});

test.each(ACCESS_CODES)("the imported access code $documents has what is expected", async (expected) => {
  const [code] = await db
    .select()
    .from(accessCodes)
    .where(eq(accessCodes.id, await idOf(expected.documents)));
  if (code === undefined) throw new Error("the code is missing");
  const { serverName, isActive } = expected;
  expect(code).toMatchObject({ serverName, isActive, toolId: await idOf([expected.tool]) });
  const plain = openAccessCode(shop.system().ports.cipher, code);
  expect(plain.simpleCode).toBe(expected.simpleCode);
  if (expected.sessionCode !== null) expect(plain.sessionCode).toBe(expected.sessionCode);
  else expect(plain.sessionCode).toMatch(/[0-9a-f]{32}$/);
});

test.each(CREDENTIALS)("the imported credential $documents has what is expected", async (expected) => {
  const id = await idOf(expected.documents);
  const [row] = await db.select().from(credentials).where(eq(credentials.id, id));
  if (row === undefined) throw new Error("the credential is missing");
  expect(row).toMatchObject({ service: expected.service, isActive: expected.isActive });
  expect(row.email.toLowerCase()).toBe(expected.email.toLowerCase());
  expect(openPassword(shop.system().ports.cipher, row)).toBe(expected.password);
});

describe("the report", () => {
  const linesOf = (document: string) => {
    const { collection, documentId } = nameInShop(document);
    return first.lines.filter((line) => line.collection === collection && line.documentId === documentId);
  };

  test.each(MESSES)("the report of the import names the mess $number $what", ({
    document,
    noted,
    refused,
  }) => {
    const lines = linesOf(document);
    if (noted) expect(lines.map(({ text }) => text).join("\n")).toMatch(noted);
    if (refused)
      expect(lines.flatMap(({ kind, text }) => (kind === "refused" ? text : [])).join("\n")).toMatch(refused);
    else expect(lines.filter(({ kind }) => kind === "refused")).toEqual([]);
  });

  test("the report of the import names every file that was left out, the misspelt one, and the line that ends in the middle", () => {
    const { notices } = first.summary;
    for (const file of [...IGNORED_FILES, MISSPELT_FILE])
      expect(notices.filter((notice) => notice.includes(file))).toHaveLength(1);
    expect(notices.filter((notice) => notice.includes("hash-config"))).toEqual([]);
    const cut = first.lines.filter(({ documentId }) => documentId.includes(`line ${CUT_LINE.line}`));
    expect(cut).toMatchObject([{ kind: "refused", collection: "user_purchases" }]);
  });

  test("the report of the import has no password and no code", () => {
    const text = [...first.lines.map(formatLine), ...first.summary.notices].join("\n");
    for (const secret of SECRETS) expect(text.includes(secret), secret).toBe(false);
  });
});

test("the totals are those of the old shop", async () => {
  expect(await db.$count(users)).toBe(TOTALS.accounts);
  expect(await db.$count(tools)).toBe(TOTALS.tools);
  expect(await db.$count(userPurchases)).toBe(TOTALS.purchases);
  expect(await db.$count(couponCodes)).toBe(TOTALS.coupons);
  expect(await db.$count(accessCodes)).toBe(TOTALS.accessCodes);
  expect(await db.$count(credentials)).toBe(TOTALS.credentials);
  const { rows } = await db.execute(
    sql`select case when called_active then 'active' else status end as status, count(*)::int as count, sum(amount)::int as paise
      from user_purchases group by 1 order by 1`,
  );
  expect(await db.$count(userPurchases, eq(userPurchases.status, "active"))).toBe(0);
  const { purchasesByStatus, amountPaiseByStatus } = TOTALS;
  expect(rows).toEqual(
    (["active", "completed", "failed", "pending"] as const).map((status) => ({
      status,
      count: purchasesByStatus[status],
      paise: amountPaiseByStatus[status],
    })),
  );
  const refused = first.lines.filter(({ kind }) => kind === "refused");
  expect(refused.filter(({ documentId }) => !documentId.includes("line"))).toHaveLength(
    TOTALS.refusedDocuments,
  );
});

test("no row and no original has a secret in plain text", async () => {
  const { rows } = await db.execute(sql`select coalesce(document::text, '') as text from imported_documents`);
  const text = rows.map((row) => String(row.text)).join("\n");
  for (const secret of SECRETS) expect(text.includes(JSON.stringify(secret)), secret).toBe(false);
});

test("a second run changes nothing", async () => {
  const rows = await countRows();
  const again = await runImport(shop);
  expect(await countRows()).toEqual(rows);
  for (const [name, counts] of Object.entries(again.summary.collections))
    expect(counts, name).toMatchObject({ created: 0, changed: 0 });
});

test("an import that is stopped leaves whole collections, and the next one completes it", async () => {
  const other = await openShop();
  try {
    const stop = new AbortController();
    const source = await openDocumentExport(FOLDER, {
      isCollection: (name) => recogniseCollection(name) !== null,
    });
    const run = importShop(other.system(), source, {
      dryRun: false,
      demo: NO_DEMO,
      removesDemo: false,
      withoutPasswords: false,
      signal: stop.signal,
      listener: {
        onLine: ({ collection }) => {
          if (collection === "user_purchases") stop.abort();
        },
        onNotice: () => undefined,
        onProgress: () => undefined,
      },
    });
    await expect(run).rejects.toMatchObject({ name: "ImportStoppedError" });
    await source.close();
    expect(await other.db.$count(userPurchases)).toBe(0);
    expect(await other.db.$count(couponCodes)).toBe(TOTALS.coupons);
    await runImport(other);
    expect(await other.db.$count(userPurchases)).toBe(TOTALS.purchases);
    expect(await other.db.$count(users)).toBe(TOTALS.accounts);
  } finally {
    await other.close();
  }
});

/** The export as a zip that Windows has packed, with the files changed. */
function packOnWindows(change: (name: string, text: string) => string | null): string {
  const folder = mkdtempSync(join(tmpdir(), "packed-old-shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = readdirSync(FOLDER).flatMap((name) => {
    const text = change(name, readFileSync(join(FOLDER, name), "utf8"));
    return text === null ? [] : [[`old-shop\\${name}`, Buffer.from(text)] as const];
  });
  const path = join(folder, "old-shop.zip");
  writeFileSync(path, zipSync(Object.fromEntries(files)));
  return path;
}

test("an export without the parameters of its hashes, into a shop that a stranger has found, is completed by later runs", async () => {
  const other = await openShop();
  try {
    const { ports } = other.system();
    const visitor = {
      ...other.visitor(),
      browser: { headers: new Headers({ "user-agent": "Test" }), ipAddress: "203.0.113.9" },
    };
    const strangers = ["emoji@example.com", "nohash@example.com"].map((email) => ({
      email,
      password: "a stranger knows this",
    }));
    const made = await Promise.all(strangers.map((known) => signUpWithEmail(visitor, known)));
    const ids = made.map(({ user }) => user.id);
    const countSessions = () => other.db.$count(sessions, inArray(sessions.userId, ids));
    expect(await countSessions()).toBe(2);
    const expectTakenOver = async () => {
      expect(await countSessions()).toBe(0);
      for (const known of strangers)
        await expect(ports.authenticator.checkPassword(known)).rejects.toMatchObject({
          code: "wrong-password",
        });
    };
    const incomplete = packOnWindows((name, text) => {
      if (name === "hash-config.json") return null;
      return name === "accounts.json" ? text.replace(/\}\s*$/, ', "nextPageToken": "more" }') : text;
    });
    await expect(runImport(other, { folder: incomplete })).rejects.toThrow(/--without-passwords/);
    expect(await other.db.$count(tools)).toBe(0);

    const begun = await runImport(other, { folder: incomplete, withoutPasswords: true });
    expect(begun.summary.notices).toContainEqual(expect.stringMatching(/accounts\.json may not be complete/));
    // Both accounts were a stranger's; the tool of one pass comes later.
    for (const { email } of strangers)
      expect(begun.lines.map(formatLine)).toContainEqual(
        expect.stringContaining(`somebody has signed up with ${email} in this shop`),
      );
    await expectTakenOver();
    const signIn = () =>
      ports.authenticator.checkPassword({ email: "user1@example.com", password: "user1password" });
    await expect(signIn()).rejects.toMatchObject({ code: "wrong-password" });

    const gold = JSON.stringify([
      ...JSON.parse(readFileSync(join(FOLDER, "Tools.json"), "utf8")),
      { id: "canva-gold", name: "Canva Gold", price: 149, availableStock: 1 },
    ]);
    await runImport(other, { folder: packOnWindows((name, text) => (name === "Tools.json" ? gold : text)) });
    expect((await signIn()).userId).toBeTruthy();
    await expectTakenOver();
    const [pass] = await other.db
      .select({ tool: tools.name, expiresAt: userPurchases.expiresAt })
      .from(userPurchases)
      .innerJoin(tools, eq(tools.id, userPurchases.toolId))
      .where(eq(userPurchases.toolName, "Canva Gold"));
    expect(pass).toEqual({ tool: "Canva Gold", expiresAt: at("2026-12-15T00:00:00Z") });
    // The first run has connected Google for those who sign in with it, so they lack nothing.
    const withBoth = ACCOUNTS.filter(({ password, googleId }) => password !== null && googleId !== null);
    const hashes = await other.db.$count(authAccounts, sql`password is not null`);
    expect(hashes).toBe(TOTALS.accountsWithPassword - withBoth.length);
  } finally {
    await other.close();
  }
});

test.each<[string, (config: Record<string, unknown>) => string]>([
  [
    "the text of the console",
    (config) =>
      `hash_config {\n${Object.entries(config)
        .map(([name, value]) => `  ${name}: ${value},\n`)
        .join("")}}\n`,
  ],
  ["a wrapped object", (config) => JSON.stringify({ hash_config: config })],
])("an export whose parameters of its hashes are %s keeps the passwords, and a pass without an end", async (_, write) => {
  const other = await openShop();
  try {
    const folder = packOnWindows((name, text) =>
      name === "hash-config.json" ? write(JSON.parse(text)) : text,
    );
    await runImport(other, { folder });
    expect(await other.db.$count(authAccounts, sql`password is not null`)).toBe(TOTALS.accountsWithPassword);
    const user1 = { email: "user1@example.com", password: "user1password" };
    expect((await other.system().ports.authenticator.checkPassword(user1)).userId).toBeTruthy();
    const passes = await other.db
      .select({ expiresAt: userPurchases.expiresAt })
      .from(userPurchases)
      .where(eq(userPurchases.userEmail, "docs@example.com"));
    expect(passes.filter(({ expiresAt }) => expiresAt !== null && hasNoEnd(expiresAt))).toHaveLength(1);
  } finally {
    await other.close();
  }
});

test("tools of the demo that nobody bought give way once, with their codes, and a tool of the import is none of them", async () => {
  const other = await openShop();
  try {
    const demo = parseCatalogueFile(await readFile("db/seed/demo-catalogue.json", "utf8"));
    await seedCatalogue(other.system(), demo);
    const idOfSlug = async (slug: string) =>
      (await other.db.select({ id: tools.id }).from(tools).where(eq(tools.slug, slug)))[0]?.id ?? "";
    const [canva, udemy, left] = [
      await idOfSlug("canva"),
      await idOfSlug("udemy"),
      await idOfSlug("chatgpt-plus"),
    ];
    const buyer = await other.user();
    await other.db.insert(userPurchases).values({
      userId: buyer.actor.userId,
      userEmail: "buyer@example.com",
      toolId: udemy,
      toolName: "Udemy",
      validityDays: 30,
      listPricePaise: 100,
      amountPaise: 100,
      status: "failed",
      source: "checkout",
    });
    await runImport(other, { demo, removesDemo: true });
    const readTools = async () => {
      const rows = await other.db.select().from(tools);
      return new Map(rows.map((tool) => [tool.id, tool.deletedAt === null ? tool.pricePaise : "deleted"]));
    };
    const after = await readTools();
    expect(after.get(canva)).toBe(149900);
    expect(after.get(udemy)).not.toBe(39900);
    expect(after.get(left)).toBe("deleted");
    const [replaced] = await other.db.select().from(tools).where(eq(tools.id, canva));
    expect(replaced).toMatchObject({ launchUrl: null, howToUse: [], worksOn: [], translations: {} });
    const codes = await other.db.select().from(accessCodes);
    const simpleCodes = codes.map((code) => openAccessCode(other.system().ports.cipher, code).simpleCode);
    const isOfDemo = (code: string) => demo.accessCodes.some(({ simpleCode }) => simpleCode === code);
    const demoCodesOfUdemy = demo.accessCodes.filter(({ toolSlug }) => toolSlug === "udemy");
    expect(simpleCodes.filter(isOfDemo)).toEqual(demoCodesOfUdemy.map(({ simpleCode }) => simpleCode));
    expect(await other.db.$count(credentials)).toBe(TOTALS.credentials);
    const again = await runImport(other, { demo, removesDemo: true });
    expect(await readTools()).toEqual(after);
    expect(again.summary.notices.filter((notice) => notice.includes("demo"))).toEqual([]);
    const [offSale] = await describeToolsNotOnSale(other.system());
    const onSale = (await listActiveTools(other.visitor())).map(({ name }) => name);
    const hidden = (await other.db.select().from(tools))
      .filter(({ name, isActive, deletedAt }) => isActive && deletedAt === null && !onSale.includes(name))
      .map(({ name }) => name);
    expect(hidden.length).toBeGreaterThan(0);
    for (const name of hidden) expect(offSale).toContain(name);
    for (const name of onSale) expect(offSale?.split(/[:,.] /)).not.toContain(name);
  } finally {
    await other.close();
  }
});

test.each([
  { files: {}, names: "It is empty." },
  { files: { "notes.txt": "", "widgets.json": '[{"id":"1"}]' }, names: "It has widgets.json, notes.txt." },
])("an export without a collection is refused: $names", async ({ files, names }) => {
  const folder = mkdtempSync(join(tmpdir(), "no-old-shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  await expect(runImport(shop, { dryRun: true, folder })).rejects.toThrow(
    `There is no file of an old shop in it. Name the files after their collections, such as tools.json and user_purchases.json. ${names}`,
  );
});

test("nobody but the shop itself imports, not even an admin", async () => {
  const source = await openDocumentExport(FOLDER, { isCollection: () => true });
  for (const ctx of [await shop.user("admin"), await shop.user(), shop.visitor()]) {
    const run = importShop(ctx, source, {
      dryRun: true,
      demo: NO_DEMO,
      removesDemo: false,
      withoutPasswords: false,
      signal: new AbortController().signal,
      listener: { onLine: () => undefined, onNotice: () => undefined, onProgress: () => undefined },
    });
    await expect(run).rejects.toMatchObject({ code: "forbidden" });
  }
  await source.close();
});
