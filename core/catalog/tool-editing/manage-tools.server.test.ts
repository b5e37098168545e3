import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createAccessCode } from "../../access-codes/manage-access-codes.server.ts";
import type { Context } from "../../context.ts";
import { getTool, listActiveTools } from "../on-sale.server.ts";
import { reserveStock } from "../stock.server.ts";
import { createTool, deleteTool, updateTool } from "./manage-tools.server.ts";

const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
});
const { db } = shop;
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

let count = 0;
const newName = () => `Video Suite ${++count}`;

/** What the form of a tool sends. */
const form = (changes: object = {}) => ({
  name: newName(),
  description: "Films and clips.",
  validityDays: "12",
  price: "149",
  originalPrice: "",
  availableStock: "10",
  isActive: "on",
  ...changes,
});

async function addTool(changes: object = {}) {
  const sent = form(changes);
  const { id } = await createTool(admin, sent);
  const edit = (edits: object) =>
    updateTool(admin, { ...sent, toolId: id, version: 1, shownStock: sent.availableStock, ...edits });
  return { id, sent, edit };
}

async function rowOf(id: string) {
  const [tool] = await db.select().from(tools).where(eq(tools.id, id));
  if (tool === undefined) throw new Error("no such tool");
  return tool;
}

test("creating a tool stores its fields, with rupees as paise, and puts it into the catalogue", async () => {
  const { id } = await addTool({
    name: " Café Ünïcode! ",
    price: "149.50",
    originalPrice: "₹1,499",
    features: [" One ", "Two", "", "One"],
    badge: "New",
    category: "video",
    launchUrl: "https://tool.example/start",
    credentialService: "Other",
    howToUse: [" Open it. ", "", "Use it."],
    worksOn: ["laptop", "phone", "laptop"],
    servers: [{ name: "Mumbai", url: "https://m.example" }, { name: "Delhi" }],
  });
  expect(await rowOf(id)).toMatchObject({
    slug: "cafe-unicode",
    name: "Café Ünïcode!",
    pricePaise: 14950,
    originalPricePaise: 149900,
    validityDays: 12,
    availableStock: 10,
    features: ["One", "Two"],
    launchUrl: "https://tool.example/start",
    credentialService: "Other",
    howToUse: ["Open it.", "Use it."],
    worksOn: ["phone", "laptop"],
    servers: [
      { id: "cafe-unicode-server-1", name: "Mumbai", url: "https://m.example" },
      { id: "cafe-unicode-server-2", name: "Delhi", url: null },
    ],
    version: 1,
  });
  expect(await getTool(shop.visitor(), { slug: "cafe-unicode" })).toMatchObject({ badge: "New" });
  const [event] = await shop.auditsOf(id);
  expect(event).toMatchObject({ action: "tool.created", details: { after: { pricePaise: 14950 } } });
});

test("several prices of a new tool are its options, sorted and labelled by their days", async () => {
  const { id } = await addTool({
    validityDays: "30",
    optionLabel: "A month",
    pricingOptions: [
      { validityDays: "90", price: "399", originalPrice: "0" },
      { validityDays: "1", price: "19.5", originalPrice: "29", label: "" },
    ],
  });
  expect((await rowOf(id)).pricingOptions).toEqual([
    { label: "1 Day", validityDays: 1, pricePaise: 1950, originalPricePaise: 2900 },
    { label: "A month", validityDays: 30, pricePaise: 14900, originalPricePaise: null },
    { label: "90 Days", validityDays: 90, pricePaise: 39900, originalPricePaise: null },
  ]);
});

test("a tool that is created without servers gets one, so that a pass opens something", async () => {
  const { id } = await addTool();
  const { slug, servers } = await rowOf(id);
  expect(servers).toEqual([{ id: `${slug}-server-1`, name: "Server 1", url: null }]);
});

test("the slug of a new tool is numbered when another or a deleted tool has it", async () => {
  const { id } = await addTool({ name: "Reader" });
  await deleteTool(admin, { toolId: id });
  const again = await addTool({ name: "reader" });
  const similar = await addTool({ name: "Reader!" });
  expect((await rowOf(again.id)).slug).toBe("reader-2");
  expect((await rowOf(similar.id)).slug).toBe("reader-3");
  const hindi = await addTool({ name: "अनुवादक" });
  expect((await rowOf(hindi.id)).slug).toBe("tool");
});

test("no two tools get the same name or slug when several are created at once", async () => {
  const same = await Promise.allSettled(
    Array.from({ length: 6 }, () => createTool(admin, form({ name: "Same Name" }))),
  );
  expect(same.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const slugs = await Promise.all(
    ["Twin", "Twin.", "Twin!", "(Twin)"].map((name) => createTool(admin, form({ name }))),
  );
  expect(slugs.map(({ slug }) => slug).sort()).toEqual(["twin", "twin-2", "twin-3", "twin-4"]);
});

test.each([
  [{ name: " " }, "name", "Enter the tool’s name."],
  [{ description: undefined }, "description", "Enter a description."],
  [{ validityDays: "0" }, "validityDays", "Enter the validity in whole days from 1 to 3650."],
  [{ validityDays: "1.5" }, "validityDays", "Enter the validity in whole days from 1 to 3650."],
  [{ price: "" }, "price", "Enter the price in rupees. 0 is free."],
  [{ price: "1.234" }, "price", "Enter rupees such as 149 or 149.50."],
  [{ price: "-1" }, "price", "Enter rupees such as 149 or 149.50."],
  [{ price: "0.50" }, "price", "The price must be 0 (free) or at least 1 rupee."],
  [{ price: "99999999" }, "price", "At most 10000000 rupees."],
  [{ originalPrice: "x" }, "originalPrice", "Enter rupees such as 149 or 149.50."],
  [{ originalPrice: "148" }, "originalPrice", "The original price must not be below the price."],
  [{ availableStock: "-1" }, "availableStock", "Enter the stock as a whole number from 0 to 1000000."],
  [{ features: ["x".repeat(121)] }, "features.0", "At most 120 characters each."],
  [
    { launchUrl: "javascript:alert(1)" },
    "launchUrl",
    "Enter an address that starts with https:// or http://.",
  ],
  [
    { servers: [{ name: "A", url: "ftp://a.example" }] },
    "servers.0.url",
    "Enter an address that starts with https:// or http://.",
  ],
  [
    { servers: [{ name: "A" }, { name: "a" }] },
    "servers.1.name",
    "Another server of this tool has this name.",
  ],
  [
    { pricingOptions: [{ validityDays: "0", price: "10" }] },
    "pricingOptions.0.validityDays",
    "Enter the validity in whole days from 1 to 3650.",
  ],
  [
    { pricingOptions: [{ validityDays: "7", price: "0" }] },
    "pricingOptions.0.price",
    "The price must be at least 1 rupee.",
  ],
  [
    {
      pricingOptions: [
        { validityDays: "7", price: "5" },
        { validityDays: "7", price: "6", label: "Week" },
      ],
    },
    "pricingOptions.1.validityDays",
    "Another price has the same number of days.",
  ],
  [
    { validityDays: "7", pricingOptions: [{ validityDays: "7", price: "5" }] },
    "pricingOptions.0.validityDays",
    "Another price has the same number of days.",
  ],
  [
    { optionLabel: "90 days", pricingOptions: [{ validityDays: "90", price: "5" }] },
    "pricingOptions.0.validityDays",
    "Another price is called “90 Days”.",
  ],
  [
    { price: "0", pricingOptions: [{ validityDays: "7", price: "5" }] },
    "price",
    "Only a single price can be 0. Enter a price above 0, or remove the other prices.",
  ],
  [
    {
      pricingOptions: Array.from({ length: 20 }, (_, at) => ({ validityDays: String(at + 20), price: "5" })),
    },
    "pricingOptions",
    "At most 20 prices.",
  ],
  [{ price: "0", contactOnly: "on" }, "contactOnly", "A free tool cannot be sold by chat only."],
  [{ howToUse: ["a", "b", "c", "d"] }, "howToUse", "At most 3 entries."],
  [{ howToUse: ["", "x".repeat(201)] }, "howToUse.1", "At most 200 characters each."],
  [{ worksOn: "tablet" }, "worksOn", "Choose from the list."],
  [{ credentialId: "none" }, "credentialId", "Choose a credential from the list."],
  [
    { credentialId: "01900000-0000-7000-8000-000000000000" },
    "credentialId",
    "Choose a credential from the list.",
  ],
  [{ credentialService: "Netflix" }, "credentialService", "Choose a service from the list."],
])("a tool with %j is refused and not stored", async (changes, field, message) => {
  const before = await db.$count(tools);
  await expect(createTool(admin, form(changes))).rejects.toMatchObject({
    code: "invalid-input",
    fields: { [field]: [message] },
  });
  expect(await db.$count(tools)).toBe(before);
});

test("changing a tool changes its fields, keeps its slug, and audits the fields that changed", async () => {
  const { id, edit } = await addTool();
  const { slug } = await rowOf(id);
  const name = newName();
  expect(await edit({ name, price: "199" })).toEqual({ version: 2, availableStock: 10 });
  expect(await rowOf(id)).toMatchObject({ slug, name, pricePaise: 19900, version: 2 });
  const [, event] = await shop.auditsOf(id);
  expect(event?.details).toEqual({
    before: { name: expect.any(String), pricePaise: 14900 },
    after: { name, pricePaise: 19900 },
  });
});

test("a single place where the tool works is sent as a text, and none empties the list", async () => {
  const { id, edit } = await addTool({ worksOn: "extension" });
  expect((await rowOf(id)).worksOn).toEqual(["extension"]);
  await edit({ worksOn: undefined });
  expect((await rowOf(id)).worksOn).toEqual([]);
});

test("changing the stock of a tool adds the difference to what sales have left, and never goes below 0", async () => {
  const { id, edit } = await addTool({ availableStock: "5" });
  await inTransaction(db, async (tx) => {
    await reserveStock(shop.system(), tx, { toolId: id, purchaseId: id });
    await reserveStock(shop.system(), tx, { toolId: id, purchaseId: id });
  });
  expect(await edit({ availableStock: "8", shownStock: "5" })).toEqual({ version: 2, availableStock: 6 });
  expect(await edit({ availableStock: "0", shownStock: "8", version: 2 })).toMatchObject({
    availableStock: 0,
  });
  expect(await shop.stockOf(id)).toBe(0);
});

test("no sale and no change of stock is lost when passes are sold while a tool is changed", async () => {
  const { id, edit } = await addTool({ availableStock: "20" });
  const sell = () =>
    inTransaction(db, (tx) => reserveStock(shop.system(), tx, { toolId: id, purchaseId: id }));
  const [, ...sold] = await Promise.all([
    edit({ availableStock: "30" }),
    ...Array.from({ length: 12 }, sell),
  ]);
  expect(sold.every(Boolean)).toBe(true);
  expect(await shop.stockOf(id)).toBe(18);
});

test("two admins change the same tool at once: the second is told and nothing of theirs is saved", async () => {
  const { id, edit } = await addTool();
  const results = await Promise.allSettled([edit({ badge: "First" }), edit({ badge: "Second" })]);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "changed-meanwhile" }]);
  expect((await rowOf(id)).version).toBe(2);
  await expect(edit({ badge: "Third" })).rejects.toMatchObject({ code: "changed-meanwhile" });
});

test("a changed tool keeps the ids of its servers, and access codes follow a server that is renamed", async () => {
  const { id, edit } = await addTool({ servers: [{ name: "One" }, { name: "Two" }, { name: "Three" }] });
  const [one, two] = (await rowOf(id)).servers;
  for (const serverName of ["One", "two ", "Three"])
    await createAccessCode(admin, {
      toolId: id,
      serverName,
      simpleCode: `${id} ${serverName}`,
      isActive: true,
    });
  await edit({ servers: [{ id: one?.id, name: "Two" }, { id: two?.id, name: "One" }, { name: "New" }] });
  const { slug, servers } = await rowOf(id);
  expect(servers).toEqual([
    { id: one?.id, name: "Two", url: null },
    { id: two?.id, name: "One", url: null },
    { id: `${slug}-server-3-2`, name: "New", url: null },
  ]);
  const codes = await db.select().from(accessCodes).where(eq(accessCodes.toolId, id)).orderBy(accessCodes.id);
  expect(codes.map(({ serverName, version }) => [serverName, version])).toEqual([
    ["Two", 2],
    ["One", 2],
    ["Three", 1],
  ]);
});

test("changing a tool sets what opens its page, and keeps grants for deleted tools", async () => {
  const other = await addTool();
  const deleted = await addTool();
  const { id, edit } = await addTool({ pageNames: ["Old Name"], pageToolIds: [other.id, deleted.id] });
  const { slug } = await rowOf(id);
  await deleteTool(admin, { toolId: deleted.id });
  const grants = async () => {
    const rows = await db.select().from(toolPageGrants).where(eq(toolPageGrants.page, slug));
    return rows.map(({ toolId, toolName }) => toolId ?? toolName).sort();
  };
  await edit({ pageNames: ["OLD name", "Bundle", "bundle"], pageToolIds: [id] });
  expect(await grants()).toEqual([deleted.id, "Bundle", "OLD name"].sort());
  await expect(edit({ version: 2, pageToolIds: [deleted.id] })).rejects.toMatchObject({
    code: "tool-not-found",
  });
});

test("changing a tool is refused for the name of another tool and for a tool that does not exist", async () => {
  const other = await addTool();
  const { edit } = await addTool();
  await expect(edit({ name: other.sent.name.toUpperCase() })).rejects.toMatchObject({
    code: "tool-name-taken",
  });
  await expect(edit({ toolId: "01900000-0000-7000-8000-000000000001" })).rejects.toMatchObject({
    code: "tool-not-found",
  });
  await expect(edit({ toolId: "x" })).rejects.toMatchObject({ code: "invalid-input" });
  await expect(edit({ version: undefined })).rejects.toMatchObject({ code: "invalid-input" });
});

test("a tool is not on sale when the checkbox of its form is not set", async () => {
  const { edit, sent } = await addTool();
  await edit({ isActive: undefined });
  expect((await listActiveTools(shop.visitor())).some(({ name }) => name === sent.name)).toBe(false);
});

test.each([
  "visitor",
  "user",
  "system",
] as const)("the actor %s can neither create, change nor delete a tool", async (kind) => {
  const { id, sent } = await addTool();
  const ctx = kind === "user" ? await shop.user() : kind === "visitor" ? shop.visitor() : shop.system();
  const code = kind === "user" ? "forbidden" : "unauthenticated";
  const edit = { ...sent, toolId: id, version: 1, shownStock: 10 };
  await expect(createTool(ctx, form())).rejects.toMatchObject({ code });
  await expect(updateTool(ctx, edit)).rejects.toMatchObject({ code });
  await expect(deleteTool(ctx, { toolId: id })).rejects.toMatchObject({ code });
  expect(await rowOf(id)).toMatchObject({ version: 1, deletedAt: null });
});
