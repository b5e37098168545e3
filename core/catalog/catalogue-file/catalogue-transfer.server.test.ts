import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { revealAccessCodeToAdmin } from "../../access-codes/manage-access-codes.server.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { listActiveTools } from "../on-sale.server.ts";
import { reserveStock } from "../stock.server.ts";
import { deleteTool } from "../tool-editing/manage-tools.server.ts";
import { applyCatalogue } from "./apply-catalogue.server.ts";
import { parseCatalogueFile } from "./catalogue-file.ts";
import { downloadCatalogue } from "./download-catalogue.server.ts";
import { previewCatalogue } from "./preview-catalogue.server.ts";
import { seedCatalogue } from "./seed-catalogue.server.ts";

const demoText = readFileSync(new URL("../../../db/seed/demo-catalogue.json", import.meta.url), "utf8");
const clock = { now: () => new Date("2026-11-21T10:00:00Z") };
const sale = { purchaseId: "01234567-89ab-7cde-8f01-23456789abcd" };
const shop = openTestShop(await freshDatabase(), { clock });
const copy = openTestShop(await freshDatabase(), { clock });
let admin: Context;
let copyAdmin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
  copyAdmin = await copy.user("admin");
});
afterAll(async () => {
  await shop.close();
  await copy.close();
});

const emptyShop = (one: typeof shop) =>
  one.db.execute(
    "truncate tools, tool_page_openers, coupon_codes, access_codes, credentials, settings, audit_events cascade",
  );

beforeEach(async () => {
  await emptyShop(shop);
  await emptyShop(copy);
  await seedCatalogue(shop.system(), parseCatalogueFile(demoText));
});

const download = async (includeSecrets = false) => (await downloadCatalogue(admin, { includeSecrets })).text;

/** A catalogue file to change: the sections are looked up by key. */
interface Draft {
  store: Record<string, unknown>;
  tools: Record<string, unknown>[];
  pages: Record<string, unknown>[];
  coupons: Record<string, unknown>[];
  accessCodes?: Record<string, unknown>[];
  credentials?: Record<string, unknown>[];
}

/** Today's file with changes. */
async function edited(change: (draft: Draft) => void, includeSecrets = false): Promise<string> {
  const draft: Draft = JSON.parse(await download(includeSecrets));
  change(draft);
  return JSON.stringify(draft);
}

const toolOf = (draft: Draft, slug: string) => {
  const tool = draft.tools.find((entry) => entry.slug === slug);
  if (tool === undefined) throw new Error(`the file has no tool ${slug}`);
  return tool;
};

async function preview(file: string) {
  const result = await previewCatalogue(admin, { file });
  if (result.kind === "invalid") throw new Error(result.problems.join("\n"));
  const { changes: changed, ...rest } = result;
  return { ...rest, changed };
}

const upload = async (file: string) =>
  applyCatalogue(admin, { file, fingerprint: (await preview(file)).fingerprint });

const rowOf = async (slug: string) => (await shop.db.select().from(tools).where(eq(tools.slug, slug)))[0];

test("a fresh shop that is seeded with the downloaded file has the same catalogue, byte for byte", async () => {
  const text = await download(true);
  expect(await seedCatalogue(copy.system(), parseCatalogueFile(text))).toBe("seeded");
  expect((await downloadCatalogue(copyAdmin, { includeSecrets: true })).text).toBe(text);
  expect(await listActiveTools(copy.visitor())).toEqual(await listActiveTools(shop.visitor()));
  const [file, demo] = [parseCatalogueFile(text), parseCatalogueFile(demoText)];
  expect(file.tools).toEqual(demo.tools);
  expect(file.store).toEqual(demo.store);
  expect(file.credentials).toEqual(demo.credentials);
});

test("the downloaded file has no code and no password unless they are asked for, and the download is audited", async () => {
  const demo = parseCatalogueFile(demoText);
  const secrets = [
    ...demo.accessCodes.map(({ simpleCode }) => simpleCode),
    ...demo.credentials.map(({ password }) => password),
  ];
  const text = await download();
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toContain("accessCodes");
  const withSecrets = await download(true);
  expect(secrets.filter((secret) => !withSecrets.includes(secret))).toEqual([]);
  const events = await shop.db
    .select({ details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.action, "catalogue.downloaded"));
  expect(events).toEqual([{ details: { includeSecrets: false } }, { details: { includeSecrets: true } }]);
});

test("codes and passwords are downloaded only after the password was entered in the last 15 minutes", async () => {
  const late = withOldPassword(admin);
  await expect(downloadCatalogue(late, { includeSecrets: true })).rejects.toMatchObject({
    code: "password-needed",
  });
  expect(await shop.db.$count(auditEvents, eq(auditEvents.action, "catalogue.downloaded"))).toBe(0);
  expect((await downloadCatalogue(late, {})).text).toBe(await download());
});

test("a catalogue file with codes or passwords is compared only with a recent password, because the answer confirms a guess", async () => {
  const late = withOldPassword(admin);
  await expect(previewCatalogue(late, { file: await download(true) })).rejects.toMatchObject({
    code: "password-needed",
  });
  expect(await previewCatalogue(late, { file: await download() })).toMatchObject({ kind: "valid" });
});

test("the downloaded file leaves out what is deleted, and can be read whatever characters its texts have", async () => {
  const canva = await rowOf("canva");
  await deleteTool(admin, { toolId: canva?.id ?? "" });
  await shop.db
    .update(tools)
    .set({ description: 'Line 1\nLine 2 \u0085 \u007f " \\ ₹ 🎟' })
    .where(eq(tools.slug, "quillbot"));
  await shop.db.update(couponCodes).set({ deletedAt: new Date() });
  const file = parseCatalogueFile(await download(true));
  expect(file.tools.map(({ slug }) => slug)).not.toContain("canva");
  expect(file.tools.find(({ slug }) => slug === "quillbot")?.description).toBe(
    'Line 1\nLine 2 \u0085 \u007f " \\ ₹ 🎟',
  );
  expect(file.coupons).toEqual([]);
});

test("the preview of today's own file changes nothing", async () => {
  const { changed, counts, leftOut } = await preview(await download(true));
  expect(changed).toEqual([]);
  expect(counts.tools).toEqual({ added: 0, changed: 0, unchanged: 12 });
  expect(counts.coupons.unchanged + counts.accessCodes.unchanged).toBeGreaterThan(10);
  expect(leftOut).toEqual({ tools: 0, coupons: 0 });
});

test("the preview lists what is added and changed, with the fields before and after, and what is left out stays", async () => {
  const file = await edited((draft) => {
    draft.store.name = "New Name";
    Object.assign(toolOf(draft, "canva"), { badge: undefined, availableStock: 50, worksOn: ["laptop"] });
    draft.tools = draft.tools.filter(({ slug }) => slug !== "udemy");
    draft.tools.push({
      ...toolOf(draft, "canva"),
      slug: "canva-pro",
      name: "Canva Pro",
      servers: [{ id: "cp-1", name: "A" }],
    });
    draft.pages = [{ page: "canva-pro", toolSlugs: ["canva"], names: ["Canva Gold"] }];
    draft.coupons = [{ code: "FRESH", toolSlug: "canva", discountPercentage: 5 }];
  });
  const { changed, leftOut } = await preview(file);
  expect(changed).toEqual([
    {
      section: "store",
      key: "store",
      name: "Your shop",
      kind: "changed",
      fields: [{ field: "name", before: "Daypass", after: "New Name" }],
    },
    {
      section: "tools",
      key: "canva",
      name: "Canva",
      kind: "changed",
      fields: expect.arrayContaining([
        { field: "availableStock", before: 35, after: 50 },
        { field: "badge", before: "Best value", after: null },
        { field: "worksOn", before: ["phone", "laptop"], after: ["laptop"] },
      ]),
    },
    { section: "tools", key: "canva-pro", name: "Canva Pro", kind: "added", fields: [] },
    { section: "pages", key: "canva-pro", name: "Canva Pro", kind: "added", fields: [] },
    { section: "coupons", key: "FRESH", name: "FRESH", kind: "added", fields: [] },
  ]);
  expect(leftOut).toEqual({ tools: 1, coupons: 1 });
  expect((await rowOf("canva"))?.badge).toBe("Best value");
});

test("the preview reports the mistakes of a file with their lines, and conflicts with the shop", async () => {
  const broken = (await download()).replace('"availableStock": 35', '"availableStock": -1');
  expect(await previewCatalogue(admin, { file: broken })).toMatchObject({
    kind: "invalid",
    problems: [expect.stringMatching(/^line \d+, tools\[1\] "canva": availableStock must be/)],
  });
  const conflict = await edited((draft) => {
    const servers = [{ id: "quillbot-server-1", name: "A" }];
    draft.tools = [{ ...toolOf(draft, "canva"), slug: "other", name: "QUILLBOT", servers }];
    delete draft.store.giveawayToolSlug;
    draft.pages = [];
    draft.coupons = [];
  });
  expect(await previewCatalogue(admin, { file: conflict })).toEqual({
    kind: "invalid",
    problems: [
      'tools[0] "other": name is already used by the tool "quillbot" of this shop',
      'tools[0] "other": servers[0].id is already used by the tool "quillbot" of this shop',
    ],
  });
  const nul = await edited((draft) => Object.assign(toolOf(draft, "canva"), { name: "A\u0000B" }));
  expect(await previewCatalogue(admin, { file: nul })).toMatchObject({ kind: "invalid" });
  // Its last character has two bytes.
  const large = `${"x".repeat(25 * 1024 * 1024 - 1)}é`;
  await expect(previewCatalogue(admin, { file: large })).rejects.toMatchObject({
    fields: { file: ["The file must not be larger than 25 MB."] },
  });
  await expect(applyCatalogue(admin, { file: large, fingerprint: "x" })).rejects.toMatchObject({
    fields: { file: ["The file must not be larger than 25 MB."] },
  });
  const longest = `${"\n".repeat(25 * 1024 * 1024 - 1)}{`;
  expect(await previewCatalogue(admin, { file: longest })).toMatchObject({ kind: "invalid" });
});

test("a shop with 500 tools and 4,875 coupons takes back its own file, which is longer than 1 MB", async () => {
  const large = await edited((draft) => {
    const canva = toolOf(draft, "canva");
    for (let n = draft.tools.length; n < 500; n++) {
      const servers = [{ id: `tool-${n}-server-1`, name: "Server 1" }];
      draft.tools.push({ ...canva, slug: `tool-${n}`, name: `Tool ${n}`, servers });
    }
    for (let n = draft.coupons.length; n < 4_875; n++) {
      const toolSlug = `tool-${100 + (n % 400)}`;
      draft.coupons.push({ code: `SAVE${n}`, toolSlug, discountPercentage: 10, isActive: true });
    }
  });
  const { changed, counts } = await preview(large);
  expect(counts.tools.added).toBe(500 - counts.tools.unchanged);
  expect(counts.coupons.added).toBeGreaterThan(4_000);
  expect(changed.filter(({ section }) => section === "tools")).toHaveLength(200);
  expect(changed.filter(({ section }) => section === "coupons")).toHaveLength(200);
  await upload(large);
  const own = await download();
  const long = JSON.parse(own);
  for (const tool of long.tools) tool.description = `${tool.slug} ${"long ".repeat(390)}`;
  const changes = await preview(JSON.stringify(long));
  expect(changes.counts.tools.changed).toBe(500);
  expect(changes.changed.length).toBeGreaterThan(100);
  expect(JSON.stringify(changes).length).toBeLessThan(600_000);
  expect(Buffer.byteLength(own)).toBeGreaterThan(1024 * 1024);
  expect((await preview(own)).changed).toEqual([]);
});

test("a file adds no credential whose service is called 'Other', and keeps a stored one", async () => {
  const entry = { service: "other", email: "box@example.com", password: "secret" };
  const file = await edited((draft) => draft.credentials?.push(entry), true);
  const count = JSON.parse(file).credentials.length;
  const problems = [
    `credentials[${count - 1}] "other / box@example.com": service must be the name of the service, such as "Canva"`,
  ];
  expect(await previewCatalogue(admin, { file })).toEqual({ kind: "invalid", problems });
  await expect(applyCatalogue(admin, { file, fingerprint: "" })).rejects.toMatchObject({
    fields: { file: problems },
  });
  const [stored] = await shop.db.update(credentials).set({ service: "Other" }).returning();
  const kept = await edited((draft) => {
    for (const one of draft.credentials ?? [])
      if (one.email === stored?.email) Object.assign(one, { password: "changed" });
  }, true);
  expect((await preview(kept)).changed).toMatchObject([{ section: "credentials", kind: "changed" }]);
  await upload(kept);
});

test("a tool of a file needs no server when it has a shared sign-in", async () => {
  const file = await edited((draft) => {
    const { servers: _, ...tool } = toolOf(draft, "stealth-writer");
    draft.tools.push({ ...tool, slug: "sign-in", name: "Sign-in only" });
  });
  await upload(file);
  expect(await rowOf("sign-in")).toMatchObject({ servers: [], credentialService: "Stealth Writer" });
  expect((await preview(await download())).changed).toEqual([]);
  expect((await preview(file)).changed).toEqual([]);
});

test("a second credential of the file leaves a tool the sign-in that it gives, and the preview names it", async () => {
  const tool = await rowOf("aihumanizer");
  const isOfTool = eq(credentials.service, tool?.credentialService ?? "");
  const [first] = await shop.db.select().from(credentials).where(isOfTool);
  const entry = { service: tool?.credentialService, email: "second@example.com", password: "SECRET" };
  const file = await edited((draft) => draft.credentials?.push(entry), true);
  const kept = ["AI Humanizer", "Stealth Writer"].map((toolName) => ({ toolName, email: first?.email }));
  const shown = await preview(file);
  expect(shown.keptCredentials).toEqual(kept);
  await applyCatalogue(admin, { file, fingerprint: shown.fingerprint });
  expect(await rowOf("aihumanizer")).toMatchObject({
    credentialId: first?.id,
    version: (tool?.version ?? 0) + 1,
  });
  expect((await preview(file)).keptCredentials).toEqual([]);

  const text = await download(true);
  expect(await seedCatalogue(copy.system(), parseCatalogueFile(text))).toBe("seeded");
  const [seeded] = await copy.db
    .select()
    .from(credentials)
    .where(eq(credentials.email, first?.email ?? ""));
  const isTool = eq(tools.slug, "aihumanizer");
  expect(await copy.db.select().from(tools).where(isTool)).toMatchObject([{ credentialId: seeded?.id }]);
});

test("the preview of a file with secrets names changed codes and passwords without showing them", async () => {
  const file = await edited((draft) => {
    Object.assign(draft.accessCodes?.[0] ?? {}, { sessionCode: "SECRET-session" });
    draft.accessCodes?.push({ toolSlug: "canva", serverName: "Server 1", simpleCode: "SECRET-simple" });
    Object.assign(draft.credentials?.[0] ?? {}, { password: "SECRET-password" });
  }, true);
  const { changed } = await preview(file);
  expect(changed.map(({ section, kind }) => [section, kind])).toEqual([
    ["accessCodes", "changed"],
    ["accessCodes", "added"],
    ["credentials", "changed"],
  ]);
  expect(JSON.stringify(changed)).not.toContain("SECRET");
  await upload(file);
  expect((await preview(await download(true))).changed).toEqual([]);
  expect(await download(true)).toContain("SECRET-session");
  const events = await shop.db.select().from(auditEvents);
  expect(JSON.stringify(events)).not.toContain("SECRET");
  const [code] = await shop.db
    .select()
    .from(accessCodes)
    .where(eq(accessCodes.sessionCodeHash, shop.ports.cipher.lookupHash("SECRET-session")));
  expect(await revealAccessCodeToAdmin(admin, { id: code?.id ?? "" })).toMatchObject({ version: 2 });
});

test("a code of the file in another case is the code of the shop, which stays as it was typed", async () => {
  const inLowerCase = (draft: Draft) => {
    for (const code of draft.accessCodes ?? []) code.simpleCode = String(code.simpleCode).toLowerCase();
  };
  const before = await download(true);
  const file = await edited(inLowerCase, true);
  expect(file).not.toContain(String(JSON.parse(before).accessCodes[0].simpleCode));
  expect((await preview(file)).changed).toEqual([]);
  await upload(file);
  expect(await download(true)).toBe(before);
});

test("an upload makes the shop that its preview showed, deletes nothing and is audited", async () => {
  const file = await edited((draft) => {
    toolOf(draft, "canva").features = ["One", "Two"];
    draft.tools = draft.tools.filter(({ slug }) => slug !== "udemy");
    draft.tools.push({
      ...toolOf(draft, "canva"),
      slug: "new",
      name: "New",
      servers: [{ id: "new-1", name: "A" }],
    });
    draft.pages.push({ page: "new", toolSlugs: ["canva"], names: ["Newer"] });
    Object.assign(draft.coupons[0] ?? {}, { discountPercentage: 33, usageLimit: undefined });
  });
  expect(await upload(file)).toEqual({ added: 2, changed: 2 });
  expect(await rowOf("canva")).toMatchObject({ features: ["One", "Two"], version: 2 });
  expect(await rowOf("udemy")).toMatchObject({ deletedAt: null, version: 1 });
  expect(await rowOf("new")).toMatchObject({ availableStock: 35, version: 1 });
  const [coupon] = await shop.db.select().from(couponCodes);
  expect(coupon).toMatchObject({ discountPercentage: 33, usageLimit: null, version: 2 });
  expect((await preview(file)).changed).toEqual([]);
  const [event] = await shop.db
    .select()
    .from(auditEvents)
    .where(eq(auditEvents.action, "catalogue.uploaded"));
  expect(event?.details).toMatchObject({
    added: [
      { section: "tools", key: "new" },
      { section: "pages", key: "new" },
    ],
    changed: [
      { section: "tools", key: "canva", fields: [{ field: "features", after: ["One", "Two"] }] },
      { section: "coupons" },
    ],
  });
});

test("an upload empties the fields that the file leaves out", async () => {
  const left = { badge: undefined, launchUrl: undefined, credentialService: undefined };
  await shop.db.update(couponCodes).set({ usageLimit: 5, expiresAt: new Date("2027-03-31T18:29:59Z") });
  await shop.db
    .update(tools)
    .set({ badge: "New", launchUrl: "https://canva.example/", credentialService: "Other" })
    .where(eq(tools.slug, "canva"));
  await upload(
    await edited((draft) => {
      Object.assign(toolOf(draft, "canva"), left);
      Object.assign(draft.coupons[0] ?? {}, { usageLimit: undefined, expiresAt: undefined });
    }),
  );
  expect(await rowOf("canva")).toMatchObject({ badge: null, launchUrl: null, credentialService: null });
  const [coupon] = await shop.db.select().from(couponCodes);
  expect(coupon).toMatchObject({ usageLimit: null, expiresAt: null });
});

test("the preview compares the settings of a shop that nobody has saved with what the shop shows", async () => {
  const kinds = async (store: object) => {
    const file = JSON.stringify({ store, tools: [] });
    const result = await previewCatalogue(copyAdmin, { file });
    return result.kind === "valid" ? result.changes.map(({ kind, fields }) => [kind, fields]) : result;
  };
  expect(await kinds({ name: "Daypass" })).toEqual([]);
  expect(await kinds({ name: "Passes" })).toEqual([
    ["changed", [{ field: "name", before: "Daypass", after: "Passes" }]],
  ]);
});

test("the preview of a coupon has its changed fields in the order of the file, its end as an ISO text", async () => {
  const file = await edited((draft) =>
    Object.assign(draft.coupons[0] ?? {}, {
      toolSlug: "canva",
      discountPercentage: 33,
      expiresAt: "2027-03-31T23:59:59+05:30",
      isActive: false,
      usageLimit: undefined,
    }),
  );
  const { changed } = await preview(file);
  expect(changed.map(({ fields }) => fields)).toEqual([
    [
      { field: "toolSlug", before: "ChatGPT Pro", after: "Canva" },
      { field: "discountPercentage", before: 20, after: 33 },
      { field: "usageLimit", before: 50, after: null },
      { field: "expiresAt", before: null, after: "2027-03-31T18:29:59.000Z" },
      { field: "isActive", before: true, after: false },
    ],
  ]);
});

test("the preview names tools, also in the fields that refer to them", async () => {
  const { changed } = await preview(
    await edited((draft) => {
      draft.store.giveawayToolSlug = "udemy";
      Object.assign(draft.accessCodes?.[0] ?? {}, { isActive: false });
    }, true),
  );
  const udemy = await rowOf("udemy");
  expect(changed[0]?.fields).toMatchObject([{ field: "giveawayToolSlug", after: udemy?.name }]);
  const [slug, server] = (changed[1]?.key ?? "").split(" / ");
  expect(changed[1]?.name).toBe(`${(await rowOf(slug ?? ""))?.name} / ${server}`);
});

test("an upload to an empty shop makes the shop of the file", async () => {
  const text = await download(true);
  const result = await previewCatalogue(copyAdmin, { file: text });
  if (result.kind === "invalid") throw new Error("the file was refused");
  await applyCatalogue(copyAdmin, { file: text, fingerprint: result.fingerprint });
  expect((await downloadCatalogue(copyAdmin, { includeSecrets: true })).text).toBe(text);
});

test("an upload is refused when the shop or the file has changed since the preview", async () => {
  const file = await edited((draft) => Object.assign(toolOf(draft, "canva"), { badge: "New" }));
  const { fingerprint } = await preview(file);
  const other = await edited((draft) => Object.assign(toolOf(draft, "canva"), { badge: "Newer" }));
  await expect(applyCatalogue(admin, { file: other, fingerprint })).rejects.toMatchObject({
    code: "changed-meanwhile",
  });
  await shop.db.update(tools).set({ category: "art" }).where(eq(tools.slug, "canva"));
  for (const stale of [fingerprint, "", "nonsense"])
    await expect(applyCatalogue(admin, { file, fingerprint: stale })).rejects.toMatchObject({
      code: "changed-meanwhile",
    });
  expect(await rowOf("canva")).toMatchObject({ badge: "Best value", version: 1 });
});

test("an upload keeps the sales since its preview", async () => {
  const file = await edited((draft) => {
    Object.assign(toolOf(draft, "canva"), { availableStock: 50, badge: "New" });
    Object.assign(toolOf(draft, "quillbot"), { badge: "New" });
  });
  const { fingerprint } = await preview(file);
  for (const slug of ["canva", "quillbot"]) {
    const { id = "" } = (await rowOf(slug)) ?? {};
    await inTransaction(shop.db, (tx) => reserveStock(shop.system(), tx, { toolId: id, ...sale }));
  }
  await applyCatalogue(admin, { file, fingerprint });
  expect(await rowOf("canva")).toMatchObject({ availableStock: 49, badge: "New" });
  expect(await rowOf("quillbot")).toMatchObject({ availableStock: 41, badge: "New" });
});

test("an upload brings back no unit that was sold since its download, unless the owner says so", async () => {
  const file = await edited((draft) => Object.assign(toolOf(draft, "quillbot"), { badge: "New" }));
  expect((await preview(file)).stock).toMatchObject({ total: 0, suggestion: "change" });
  const { id = "", name = "", availableStock = 0 } = (await rowOf("canva")) ?? {};
  await inTransaction(shop.db, (tx) => reserveStock(shop.system(), tx, { toolId: id, ...sale }));
  await shop.pass(await shop.user(), { toolId: id, toolName: name, createdAt: clock.now() });
  const shown = await preview(file);
  const change = { slug: "canva", name, before: availableStock - 1, after: availableStock };
  expect(shown.stock).toEqual({
    listed: [{ ...change, isAlone: true }],
    total: 1,
    alone: 1,
    suggestion: "keep",
  });
  const undated = JSON.stringify({ ...JSON.parse(file), downloadedAt: undefined });
  expect((await preview(undated)).stock.suggestion).toBe("keep");
  const { fingerprint } = shown;
  for (const stock of [undefined, "keep"] as const) {
    const { badge } = { badge: stock === undefined ? "New" : "Newer" };
    const next = file.replace('"badge":"New"', `"badge":"${badge}"`);
    const { fingerprint: own } = await preview(next);
    expect(await applyCatalogue(admin, { file: next, fingerprint: own, stock })).toEqual({
      added: 0,
      changed: 1,
    });
    expect(await rowOf("canva")).toMatchObject({ availableStock: availableStock - 1, version: 1 });
    expect(await rowOf("quillbot")).toMatchObject({ badge });
  }
  await expect(applyCatalogue(admin, { file, fingerprint, stock: "change" })).rejects.toThrow(
    "changed-meanwhile",
  );
  const again = await preview(file);
  await applyCatalogue(admin, { file, fingerprint: again.fingerprint, stock: "change" });
  expect(await rowOf("canva")).toMatchObject({ availableStock, version: 2 });
});

test("an upload that is sent twice changes the stock once, also when a pass was sold in between", async () => {
  const file = await edited((draft) => Object.assign(toolOf(draft, "canva"), { availableStock: 50 }));
  const { fingerprint } = await preview(file);
  await applyCatalogue(admin, { file, fingerprint });
  const { id = "" } = (await rowOf("canva")) ?? {};
  await inTransaction(shop.db, (tx) => reserveStock(shop.system(), tx, { toolId: id, ...sale }));
  await expect(applyCatalogue(admin, { file, fingerprint })).rejects.toMatchObject({
    code: "changed-meanwhile",
  });
  expect(await rowOf("canva")).toMatchObject({ availableStock: 49, version: 2 });
});

test("two uploads of the same preview at once change the shop once", async () => {
  const file = await edited((draft) => Object.assign(toolOf(draft, "canva"), { badge: "New" }));
  const { fingerprint } = await preview(file);
  const results = await Promise.allSettled([1, 2, 3].map(() => applyCatalogue(admin, { file, fingerprint })));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "changed-meanwhile" }, { code: "changed-meanwhile" }]);
  expect(await rowOf("canva")).toMatchObject({ badge: "New", version: 2 });
});

test("a deleted tool that the file has comes back with its id", async () => {
  const text = await download();
  const { id = "" } = (await rowOf("canva")) ?? {};
  await deleteTool(admin, { toolId: id });
  expect((await preview(text)).changed).toMatchObject([{ section: "tools", key: "canva", kind: "added" }]);
  await upload(text);
  expect(await rowOf("canva")).toMatchObject({ id, deletedAt: null, isActive: true });
  expect(await download()).toBe(text);
});

test("access codes follow a server that the file renames", async () => {
  const file = await edited((draft) => {
    toolOf(draft, "canva").servers = [{ id: "canva-server-1", name: "Mumbai" }];
  });
  await upload(file);
  const { id = "" } = (await rowOf("canva")) ?? {};
  const codes = await shop.db.select().from(accessCodes).where(eq(accessCodes.toolId, id));
  expect(codes.map(({ serverName }) => serverName)).toEqual(["Mumbai"]);
});

test("an invalid file is refused with its problems", async () => {
  await expect(applyCatalogue(admin, { file: "[]", fingerprint: "x" })).rejects.toMatchObject({
    fields: { file: ["line 1: the file must be one object in { }"] },
  });
});

test.each([
  "visitor",
  "user",
  "system",
] as const)("the actor %s can neither download nor upload the catalogue", async (kind) => {
  const ctx = kind === "user" ? await shop.user() : kind === "visitor" ? shop.visitor() : shop.system();
  const refusal = new DomainError(kind === "user" ? "forbidden" : "unauthenticated");
  const file = await download();
  const { fingerprint } = await preview(file);
  await expect(downloadCatalogue(ctx, { includeSecrets: true })).rejects.toThrow(refusal);
  await expect(previewCatalogue(ctx, { file })).rejects.toThrow(refusal);
  await expect(applyCatalogue(ctx, { file, fingerprint })).rejects.toThrow(refusal);
});
