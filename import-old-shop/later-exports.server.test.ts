import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeEach, expect, test } from "vitest";
import { deleteUser } from "#core/accounts/delete-account.server.ts";
import { signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import { createTool } from "#core/catalog/tool-editing/manage-tools.server.ts";
import { joinTool, listToolsToJoin } from "#core/passes/join-tool.server.ts";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { devices } from "#db/tables/devices.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { credentials } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { OLD_CONFIG, OLD_PASSWORDS } from "#tests/fixtures/imported-hashes.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { importShop } from "./import-shop.server.ts";
import { insertOfDocuments } from "./imported-documents.server.ts";
import type { OldExport } from "./source.ts";

/* What a second export changes, and what an export with several readings must not do. */

const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-25T12:00:00Z") } });
const { db } = shop;
afterAll(() => shop.close());
beforeEach(async () => {
  await db.execute(
    "truncate users, tools, tool_page_openers, coupon_codes, user_purchases, imported_documents, audit_events cascade",
  );
});

type Documents = Record<string, unknown>[];

function exportOf(files: Record<string, Documents>, hashConfig: unknown = null): OldExport {
  return {
    files: Object.entries(files).map(([name, documents]) => ({
      name,
      path: `${name}.json`,
      async *read() {
        for (const [at, fields] of documents.entries()) {
          const where = `${name}.json, document ${at + 1}`;
          yield { kind: "document" as const, document: { id: String(fields.id), fields, where } };
        }
      },
    })),
    ignored: [],
    incomplete: [],
    readHashConfig: async () =>
      typeof hashConfig === "string" || hashConfig === null ? hashConfig : JSON.stringify(hashConfig),
    close: async () => undefined,
  };
}

async function importFiles(
  files: Record<string, Documents>,
  hashConfig?: unknown,
  { dryRun = false, withoutPasswords = true } = {},
) {
  const lines: string[] = [];
  const summary = await importShop(shop.system(), exportOf(files, hashConfig), {
    dryRun,
    demo: { tools: [], accessCodes: [], coupons: [], credentials: [] },
    removesDemo: false,
    withoutPasswords,
    signal: new AbortController().signal,
    listener: {
      onLine: ({ documentId, kind, text }) => lines.push(`${documentId} ${kind}: ${text}`),
      onNotice: () => undefined,
      onProgress: () => undefined,
    },
  });
  return { summary, lines };
}

const canva = { id: "canva", name: "Canva", price: 149, isActive: true, validity: 30, availableStock: 3 };
const asha = { id: "asha", email: "asha@example.com" };
const bought = (id: string, more: object = {}) => ({
  id,
  userId: "asha",
  toolName: "Canva",
  amount: 14900,
  status: "completed",
  createdAt: "2026-11-20T10:00:00Z",
  expiresAt: "2026-12-20T10:00:00Z",
  ...more,
});
const passOf = async (documentId: string) => {
  const [row] = await db
    .select({ purchase: userPurchases })
    .from(userPurchases)
    .innerJoin(importedDocuments, eq(importedDocuments.becameId, userPurchases.id))
    .where(eq(importedDocuments.documentId, documentId));
  return row?.purchase;
};

test("a document that is in another part of its collection in a later export is the same document", async () => {
  const first = [bought("p1"), bought("p2", { status: "failed" })];
  await importFiles({
    tools: [canva],
    Users: [asha],
    "user_purchases-000": first,
    "user_purchases-001": [bought("p3")],
  });
  const again = await importFiles({
    tools: [canva],
    "user_purchases-000": first.slice(0, 1),
    "user_purchases-001": [...first.slice(1), bought("p3")],
  });
  expect(again.summary.collections.user_purchases).toMatchObject({ created: 0, known: 3 });
  expect(await db.$count(userPurchases)).toBe(3);
});

test("the name of a tool counts before the address of another one", async () => {
  const pro = { ...canva, id: "aB3dE5gH7jK9mN1pQ3sT", name: "ChatGPT Pro", price: 299 };
  const plain = { ...canva, id: "bB3dE5gH7jK9mN1pQ3sT", name: "ChatGPT", price: 199 };
  await importFiles({
    tools: [pro, plain],
    users: [asha],
    user_purchases: [bought("p1", { toolName: "chatgpt" })],
  });
  const [tool] = await db.select().from(tools).where(eq(tools.name, "ChatGPT"));
  expect(tool?.pricePaise).toBe(19900);
  expect((await passOf("p1"))?.toolId).toBe(tool?.id);
});

const { published } = OLD_PASSWORDS;
const account = {
  id: "asha",
  localId: "asha",
  email: asha.email,
  passwordHash: published.passwordHash,
  salt: published.salt,
};
const signIn = () =>
  shop.system().ports.authenticator.checkPassword({ email: asha.email, password: published.password });

test("accounts that come with a later export bring their passwords, and disable who is disabled", async () => {
  await importFiles({ tools: [canva], Users: [asha] });
  await expect(signIn()).rejects.toMatchObject({ code: "wrong-password" });
  await importFiles({ accounts: [{ ...account, disabled: true }] }, OLD_CONFIG);
  expect((await signIn()).userId).toBeTruthy();
  const [user] = await db.select().from(users).where(eq(users.email, asha.email));
  expect(user?.isActive).toBe(false);
});

test("accounts with passwords are refused without hash-config.json, unless the owner says so; a later run adds what is missing", async () => {
  const files = { tools: [canva], accounts: [account], user_purchases: [bought("p1")] };
  const strict = { withoutPasswords: false };
  for (const config of [null, "nothing of it", { algorithm: "SCRYPT" }])
    await expect(importFiles(files, config, strict)).rejects.toThrow(
      /so nobody could sign in.*--without-passwords/s,
    );
  expect(await db.$count(tools)).toBe(0);
  await importFiles({ accounts: [{ id: "g", email: "g@example.com" }] }, null, strict);
  await importFiles(files, null);
  await expect(signIn()).rejects.toMatchObject({ code: "wrong-password" });
  const dry = await importFiles(files, OLD_CONFIG, { dryRun: true });
  await expect(signIn()).rejects.toMatchObject({ code: "wrong-password" });
  const { summary } = await importFiles(files, OLD_CONFIG, strict);
  expect((await signIn()).userId).toBeTruthy();
  expect(summary.notices).toContain(
    "1 imported accounts that had no way to sign in got the password or Google sign-in of the old shop.",
  );
  expect(dry.summary.notices).toEqual(summary.notices);
  const again = await importFiles(files, OLD_CONFIG, strict);
  expect(again.summary.notices.filter((notice) => notice.includes("sign in"))).toEqual([]);
});

test.each([
  ["wrapped", JSON.stringify({ hash_config: OLD_CONFIG })],
  [
    "as the console shows it",
    `hash_config {\n${Object.entries(OLD_CONFIG)
      .map(([name, value]) => `  ${name}: ${value},`)
      .join("\n")}\n}`,
  ],
])("the hash configuration is read %s", async (_, text) => {
  await importFiles({ accounts: [account] }, text, { withoutPasswords: false });
  expect((await signIn()).userId).toBeTruthy();
});

test("an account is read as the Admin SDK writes it", async () => {
  const { localId: _, salt, email: __, ...rest } = account;
  const written = {
    ...rest,
    passwordSalt: salt,
    metadata: {
      creationTime: "Wed, 05 Jan 2022 10:00:00 GMT",
      lastSignInTime: "Thu, 06 Jan 2022 10:00:00 GMT",
    },
    providerData: [{ providerId: "google.com", uid: "1234567890", email: asha.email }],
  };
  await importFiles({ users: [written] }, OLD_CONFIG, { withoutPasswords: false });
  expect((await signIn()).userId).toBeTruthy();
  const [user] = await db.select().from(users).where(eq(users.email, asha.email));
  expect(user).toMatchObject({
    createdAt: new Date("2022-01-05T10:00:00Z"),
    lastLogin: new Date("2022-01-06T10:00:00Z"),
  });
  const links = await db
    .select({ id: authAccounts.accountId })
    .from(authAccounts)
    .where(eq(authAccounts.providerId, "google"));
  expect(links).toEqual([{ id: "1234567890" }]);
});

test("an account that the shop has gets no old password, with a later export either", async () => {
  const [own] = await db.insert(users).values({ email: asha.email }).returning();
  await db
    .insert(authAccounts)
    .values({ userId: own?.id ?? "", accountId: own?.id ?? "", providerId: "credential", password: "$x" });
  await importFiles({ Users: [asha] });
  await importFiles({ accounts: [account] }, OLD_CONFIG);
  const stored = await db.select({ password: authAccounts.password }).from(authAccounts);
  expect(stored).toEqual([{ password: "$x" }]);
});

test("the verified one of two accounts with one address keeps its ways to sign in", async () => {
  const stranger = { ...account, id: "stranger", emailVerified: false };
  const owner = {
    id: "owner",
    email: asha.email,
    emailVerified: true,
    providerUserInfo: [{ providerId: "google.com", rawId: "1234567890" }],
  };
  await importFiles({ accounts: [stranger, owner] }, OLD_CONFIG);
  await expect(signIn()).rejects.toMatchObject({ code: "wrong-password" });
  const links = await db
    .select({ id: authAccounts.accountId, by: authAccounts.providerId })
    .from(authAccounts);
  expect(links).toEqual([{ id: "1234567890", by: "google" }]);
});

test("no password hash is in an original, whatever the file is called", async () => {
  await importFiles({ users: [account] }, OLD_CONFIG);
  expect((await signIn()).userId).toBeTruthy();
  const originals = await db.select().from(importedDocuments);
  expect(JSON.stringify(originals)).not.toMatch(/lSrfV15|42xEC/);
});

test("an original with a code is sealed, whatever its collection is", async () => {
  await importFiles({
    tools: [canva],
    Users: [{ ...asha, purchasedTools: [{ name: "Canva", accessCode: "SECRET-1" }] }],
  });
  const [original] = await db
    .select()
    .from(importedDocuments)
    .where(eq(importedDocuments.collection, "users"));
  expect(original?.document).toBeNull();
  expect(JSON.stringify(original)).not.toContain("SECRET-1");
});

test("the records of one purchase are one row when they come with two exports, in both orders", async () => {
  const legacy = { ...bought("l1"), price: 149, amount: undefined, status: "active" };
  await importFiles({ tools: [canva], Users: [asha], purchases: [legacy] });
  await importFiles({ user_purchases: [bought("p1")] });
  expect(await db.$count(userPurchases)).toBe(1);
  await importFiles({
    user_purchases: [bought("p2", { createdAt: "2026-10-01T00:00:00Z", expiresAt: "2026-10-31T00:00:00Z" })],
  });
  await importFiles({
    purchases: [
      { ...legacy, id: "l2", createdAt: "2026-10-01T00:00:00Z", expiresAt: "2026-10-31T00:00:00Z" },
    ],
  });
  expect(await db.$count(userPurchases)).toBe(2);
});

test("the newest of several sign-ins of a service becomes a tool's, and stays when a later export brings another one", async () => {
  const humanizer = { slug: "aihumanizer", name: "AI Humanizer", description: "", pricePaise: 100 };
  await db.insert(tools).values(humanizer);
  const signIn = (id: string, createdAt: string) => ({
    id,
    service: "Write Human",
    email: `${id}@example.com`,
    password: "SECRET",
    createdAt,
  });
  const first = { credentials: [signIn("older", "2026-01-01"), signIn("newer", "2026-02-01")] };
  const notice = (email: string) =>
    expect.stringMatching(`AI Humanizer gives its buyers the sign-in ${email}`);
  const readTool = () =>
    db
      .select({ email: credentials.email })
      .from(tools)
      .innerJoin(credentials, eq(credentials.id, tools.credentialId))
      .where(eq(tools.slug, "aihumanizer"));
  const { summary } = await importFiles(first);
  expect(summary.notices).toContainEqual(notice("newer@example.com"));
  expect(await readTool()).toEqual([{ email: "newer@example.com" }]);

  await db.update(tools).set({ credentialId: null }).where(eq(tools.slug, "aihumanizer"));
  await db.delete(credentials).where(eq(credentials.email, "newer@example.com"));
  const later = { credentials: [signIn("latest", "2026-03-01")] };
  for (const dryRun of [true, false]) {
    const again = await importFiles(later, undefined, { dryRun });
    expect(again.summary.notices).toContainEqual(notice("older@example.com"));
    expect(await readTool()).toEqual(dryRun ? [] : [{ email: "older@example.com" }]);
  }
});

test("a coupon whose limit or end cannot be read is inactive", async () => {
  const coupon = { id: "c", code: "OLD", toolName: "Canva", discount: 10, isActive: true };
  const { lines } = await importFiles({
    tools: [canva],
    coupon_codes: [
      { ...coupon, id: "c1", code: "ONE", usageLimit: "max fifty" },
      { ...coupon, id: "c2", code: "TWO", expiresAt: "31/02/2027" },
      { ...coupon, id: "c3", code: "THREE", discount: "₹100" },
      { ...coupon, id: "c4", code: "FOUR" },
    ],
  });
  const rows = await db.select({ code: couponCodes.code, isActive: couponCodes.isActive }).from(couponCodes);
  expect(rows.toSorted((a, b) => a.code.localeCompare(b.code))).toEqual([
    { code: "FOUR", isActive: true },
    { code: "ONE", isActive: false },
    { code: "TWO", isActive: false },
  ]);
  expect(lines.filter((line) => line.startsWith("c3 refused"))).toHaveLength(1);
});

test("a coupon's uses rise with the purchases of a later export", async () => {
  const coupon = { id: "OLD", toolName: "Canva", discount: 10, timesUsed: 1, usageLimit: 5 };
  const earlier = (id: string, month: number) =>
    bought(id, {
      couponCode: "old",
      createdAt: `2026-0${month}-01T00:00:00Z`,
      expiresAt: `2026-0${month}-11T00:00:00Z`,
    });
  await importFiles({
    tools: [canva],
    Users: [asha],
    coupon_codes: [coupon],
    user_purchases: [earlier("p1", 1)],
  });
  await importFiles({ user_purchases: [earlier("p2", 2), earlier("p3", 3)] });
  const [row] = await db.select().from(couponCodes);
  expect(row).toMatchObject({ usesTaken: 3, importedUses: 3 });
});

test("a person whose account was deleted does not come back", async () => {
  await importFiles({ tools: [canva], Users: [asha] });
  const [user] = await db.select().from(users).where(eq(users.email, asha.email));
  await deleteUser(await shop.user("admin"), { userId: user?.id ?? "" });
  const { lines } = await importFiles({
    user_documents: [asha],
    Users: [asha],
    user_purchases: [bought("p1", { userEmail: asha.email })],
  });
  expect(lines.filter((line) => line.includes("deleted the account"))).toHaveLength(2);
  expect(await db.$count(userPurchases)).toBe(0);
  expect(await db.$count(users, eq(users.email, asha.email))).toBe(0);
});

test("an id or an address that is too long for an index refuses its document only", async () => {
  const long = "x".repeat(5000);
  const { lines } = await importFiles({
    tools: [canva],
    Users: [asha, { id: long, email: "long@example.com" }],
    user_purchases: [bought("p1"), bought("p2", { userId: undefined, userEmail: `${long}@example.com` })],
  });
  expect(lines.filter((line) => line.includes(" refused: "))).toHaveLength(2);
  expect(await db.$count(userPurchases)).toBe(1);
});

const stranger = (ipAddress = "203.0.113.9") => ({
  ...shop.visitor(),
  browser: { headers: new Headers({ "user-agent": "Test" }), ipAddress },
});
const STRANGERS_PASSWORD = "a stranger knows this";
const signUp = (email: string) => signUpWithEmail(stranger(), { email, password: STRANGERS_PASSWORD });
const strangerSignsIn = (email: string) =>
  shop.system().ports.authenticator.checkPassword({ email, password: STRANGERS_PASSWORD });

test("whoever has signed up with a buyer's address gets nothing of the buyer: the account is taken over, and a dry run says so", async () => {
  const names = ["listed", "unlisted", "legacy", "confirmed", "reset", "nothing"];
  for (const name of names) await signUp(`${name}@example.com`);
  await db.update(users).set({ emailVerified: true }).where(eq(users.email, "confirmed@example.com"));
  const [reset] = await db.select().from(users).where(eq(users.email, "reset@example.com"));
  await db.insert(auditEvents).values({
    actorKind: "visitor",
    action: "account.password-reset",
    subjectType: "user",
    subjectId: reset?.id ?? "",
  });
  const [listed] = await db.select().from(users).where(eq(users.email, "listed@example.com"));
  await db.insert(devices).values({
    userId: listed?.id ?? "",
    installationId: uuidv7(),
    tokenHash: "x",
    name: "Chrome",
    extensionVersion: "1.0.0",
    lastSeenAt: new Date(),
  });
  const email = (name: string) => `${name}@example.com`;
  const files = {
    tools: [canva],
    users: ["listed", "nothing"].map((name) => ({ id: name, email: email(name) })),
    accounts: [{ ...account, id: "listed", email: email("listed"), emailVerified: true }],
    user_purchases: ["listed", "unlisted", "confirmed", "reset"].map((name) =>
      bought(name, { userId: name, userEmail: email(name) }),
    ),
    // A purchase that was not paid can become a pass by an admin.
    purchases: [bought("legacy", { userId: "legacy", userEmail: email("legacy"), status: "failed" })],
  };
  const isWarning = (line: string) => line.includes("somebody has signed up with");
  const dry = await importFiles(files, OLD_CONFIG, { dryRun: true });
  for (const name of names) expect((await strangerSignsIn(email(name))).userId).toBeTruthy();
  const { lines } = await importFiles(files, OLD_CONFIG);
  expect(lines.filter(isWarning).map((line) => line.split(" ")[0])).toEqual(["listed", "unlisted", "legacy"]);
  expect(dry.lines.filter(isWarning)).toEqual(lines.filter(isWarning));
  for (const name of ["listed", "unlisted", "legacy"])
    await expect(strangerSignsIn(email(name))).rejects.toMatchObject({ code: "wrong-password" });
  for (const name of ["confirmed", "reset", "nothing"])
    expect((await strangerSignsIn(email(name))).userId).toBeTruthy();
  const signedIn = await db.select({ userId: sessions.userId }).from(sessions);
  expect(signedIn.map(({ userId }) => userId)).not.toContain(listed?.id);
  expect(await db.select().from(devices)).toMatchObject([{ releasedBy: "password-reset" }]);
  expect((await shop.auditsOf(listed?.id ?? "")).map(({ action }) => action)).toContain("account.taken-over");
  // The old password opens nothing either, now or after a second run: somebody may have known it.
  await importFiles(files, OLD_CONFIG);
  await expect(
    shop.system().ports.authenticator.checkPassword({
      email: email("listed"),
      password: published.password,
    }),
  ).rejects.toMatchObject({ code: "wrong-password" });
});

test("an account of this shop that a people-only import has joined is taken over when its purchases come", async () => {
  await signUp(asha.email);
  await importFiles({ tools: [canva], users: [asha] });
  expect((await strangerSignsIn(asha.email)).userId).toBeTruthy();
  await importFiles({ user_purchases: [bought("p1")] });
  await expect(strangerSignsIn(asha.email)).rejects.toMatchObject({ code: "wrong-password" });
  // What an import has created belongs to the old shop's owner, whose address was not verified there either.
  await importFiles({ users: [{ id: "ravi", email: "ravi@example.com" }] });
  const ravi = { ...account, id: "ravi", email: "ravi@example.com" };
  await importFiles({ accounts: [ravi] }, OLD_CONFIG);
  const { lines } = await importFiles({ user_purchases: [bought("p2", { userId: "ravi" })] });
  expect(lines.filter((line) => line.includes("signed up with"))).toEqual([]);
});

/** What the form of a tool sends. */
const newTool = (changes: object) => ({
  description: "Access to a tool.",
  validityDays: "30",
  price: "149",
  originalPrice: "",
  availableStock: "3",
  isActive: "on",
  ...changes,
});

test("passes whose tool was missing join it on the next run, when a tool gets their name, and by an admin", async () => {
  const admin = await shop.user("admin");
  const gold = { ...canva, id: "gold", name: "Canva Gold" };
  const buyers = ["one", "two", "three", "four"].map((id) => ({ id, email: `${id}@example.com` }));
  await importFiles({
    tools: [canva],
    users: buyers,
    user_purchases: [
      bought("p1", { userId: "one", toolName: "canva gold" }),
      bought("p2", { userId: "two", toolName: "Adobe" }),
      bought("p3", { userId: "three", toolName: "Old Adobe" }),
      bought("p4", { userId: "four", toolName: "Photoshop" }),
      // It overlaps the pass that the buyer has for the tool, so it stays as it is.
      bought("p5", { userId: "one", toolName: "Canva Old" }),
      bought("p6", { userId: "one" }),
    ],
  });
  const { summary } = await importFiles({ tools: [canva, gold] });
  expect(summary.notices).toEqual([
    expect.stringMatching(/^1 imported purchase .* joined the tool Canva Gold/),
  ]);
  const idOf = async (name: string) => (await db.select().from(tools).where(eq(tools.name, name)))[0]?.id;
  expect((await passOf("p1"))?.toolId).toBe(await idOf("Canva Gold"));
  const adobe = await createTool(admin, newTool({ name: "Adobe", pageNames: ["Old Adobe"] }));
  for (const id of ["p2", "p3"]) expect((await passOf(id))?.toolId).toBe(adobe.id);
  const p4 = (await passOf("p4"))?.id ?? "";
  const input = { purchaseId: p4, toolId: adobe.id };
  const buyer = await shop.user();
  await expect(joinTool(buyer, input)).rejects.toMatchObject({ code: "forbidden" });
  await expect(joinTool(shop.visitor(), input)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listToolsToJoin(buyer)).rejects.toMatchObject({ code: "forbidden" });
  await expect(joinTool(admin, { ...input, toolId: uuidv7() })).rejects.toMatchObject({
    code: "tool-not-found",
  });
  expect((await listToolsToJoin(admin)).map(({ name }) => name)).toEqual(["Adobe", "Canva", "Canva Gold"]);
  const p5 = { purchaseId: (await passOf("p5"))?.id ?? "", toolId: (await idOf("Canva")) ?? "" };
  await expect(joinTool(admin, p5)).rejects.toMatchObject({ code: "already-owned" });
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => joinTool(admin, input)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await passOf("p4"))?.toolId).toBe(adobe.id);
  expect((await shop.auditsOf(p4)).map(({ action }) => action)).toEqual(["purchase.tool-joined"]);
});

test("what has changed since an earlier export is named by its fields", async () => {
  const code = { id: "c1", toolName: "Canva", serverName: "Server 1", simpleCode: "AAA-1", isActive: true };
  const files = { tools: [canva], users: [asha], access_codes: [code], user_purchases: [bought("p1")] };
  await importFiles(files);
  const { lines } = await importFiles({
    ...files,
    tools: [{ ...canva, price: 199, badge: "New" }],
    access_codes: [{ ...code, simpleCode: "BBB-2" }],
  });
  expect(lines.filter((line) => line.includes(" changed: "))).toEqual([
    "canva changed: it was imported before and has changed since (price, badge); the shop keeps what it has",
    "c1 changed: it was imported before and has changed since (simpleCode); the shop keeps what it has",
  ]);
});

test("the id that the old page made of its third server is Server 3", async () => {
  const servers = ["Server 1", "chatgpt-server-3", "server_2"].map((serverName, at) => ({
    id: `c${at}`,
    toolName: "ChatGPT",
    serverName,
    simpleCode: `CODE-${at}`,
  }));
  await importFiles({ tools: [{ ...canva, id: "chatgpt", name: "ChatGPT" }], access_codes: servers });
  const [tool] = await db.select().from(tools);
  expect(tool?.servers.map(({ name }) => name)).toEqual(["Server 1", "Server 2", "Server 3"]);
});

test("a value that Postgres refuses is reported with its document, and nothing of its collection is imported", async () => {
  await importFiles({ tools: [canva], users: [asha] });
  const [account] = await db.select().from(users);
  const rowOf = (id: string, amountPaise: number) => ({
    id,
    userId: account?.id ?? "",
    userEmail: "asha@example.com",
    toolName: "Canva",
    validityDays: 30,
    listPricePaise: amountPaise,
    amountPaise,
    status: "failed" as const,
    source: "import" as const,
  });
  const [good, bad] = [uuidv7(), uuidv7()];
  const originals = [good, bad].map((id, at) => ({
    collection: "user_purchases" as const,
    documentId: `p${at + 1}`,
    became: { id },
  }));
  const insert = inTransaction(db, (tx) =>
    insertOfDocuments(tx, userPurchases, [rowOf(good, 100), rowOf(bad, 3_000_000_000)], originals),
  );
  await expect(insert).rejects.toThrow(/^The database does not take a value of user_purchases\/p2/);
  expect(await db.$count(userPurchases)).toBe(0);
});
