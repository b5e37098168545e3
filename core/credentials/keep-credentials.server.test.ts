import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { credentials } from "#db/tables/vault.ts";
import { openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import { findBestFitting } from "../catalog/kept-credentials.ts";
import { IS_ON_SALE, matchCredential } from "../catalog/on-sale.server.ts";
import { createCredential, ensureCredential, updateCredential } from "./manage-credentials.server.ts";
import { revealToolCredential } from "./tool-credentials.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, contextOf, db } = shop;
const admin = contextOf(shop.admin);
afterAll(() => shop.close());

beforeEach(async () => {
  await db.delete(credentials);
  await db.update(tools).set({ credentialService: null });
});

let count = 0;

/** A tool that has nothing but the credential of this service, and what its buyer gets. */
async function addToolOf(credentialService: string) {
  const page = `kept-${++count}`;
  const { id, name } = await addTool(page, { credentialService, sellsWhenNotReady: false });
  const buyer = contextOf(await addBuyer(id, name));
  return {
    id,
    email: async () => (await revealToolCredential(buyer, { page, field: "email" })).value,
    read: async () => (await db.select().from(tools).where(eq(tools.id, id)))[0],
    isOnSale: async () => (await db.$count(tools, and(eq(tools.id, id), IS_ON_SALE))) === 1,
  };
}

async function addBuyer(toolId: string, toolName: string) {
  const buyer = await addUser();
  await addPass(buyer, { toolId, toolName });
  return buyer;
}

const form = (service: string, email: string, changes: object = {}) => ({
  service: "Other",
  otherService: service,
  email,
  password: "SECRET",
  isActive: "on",
  ...changes,
});

const create = (service: string, email: string, changes: object = {}) =>
  createCredential(admin, form(service, email, changes));

test("a second credential for a service leaves buyers the sign-in that they have, and the tool on sale, until the owner chooses another", async () => {
  const tool = await addToolOf("QuillBot");
  const first = await create("QuillBot", "first@example.com");
  expect(await tool.read()).toMatchObject({ credentialId: null });
  const { version = 0 } = (await tool.read()) ?? {};
  await create("QuillBot", "second@example.com");
  expect(await tool.email()).toBe("first@example.com");
  expect(await tool.isOnSale()).toBe(true);
  expect(await tool.read()).toMatchObject({
    credentialId: first.id,
    credentialService: "QuillBot",
    version: version + 1,
  });
  const isOfTool = and(eq(auditEvents.subjectId, tool.id), eq(auditEvents.action, "tool.updated"));
  expect(await db.select().from(auditEvents).where(isOfTool)).toMatchObject([
    { details: { before: { credentialId: null }, after: { credentialId: first.id } } },
  ]);
  await create("QuillBot", "third@example.com");
  expect(await tool.read()).toMatchObject({ version: version + 1 });
});

test.each([
  ["a name that fits better", "Canva", ["Canva Pro", "Canva"]],
  ["a name that fits in part as well", "Canva", ["Canva Pro", "My Canva"]],
])("a second credential for a service of %s changes nothing for buyers", async (_, service, [
  known = "",
  added = "",
]) => {
  const tool = await addToolOf(service);
  await create(known, "first@example.com");
  await create(added, "second@example.com");
  expect([await tool.email(), await tool.isOnSale()]).toEqual(["first@example.com", true]);
});

test("a second credential that is activated, renamed or ensured leaves buyers the sign-in that they have", async () => {
  const tool = await addToolOf("QuillBot");
  const first = await create("QuillBot", "first@example.com");
  const idle = await create("QuillBot", "idle@example.com", { isActive: undefined });
  expect(await tool.read()).toMatchObject({ credentialId: null });
  const edit = (id: string, email: string) =>
    updateCredential(admin, { ...form("QuillBot", email), id, version: 1, password: "" });
  await edit(idle.id, "idle@example.com");
  expect([await tool.email(), await tool.isOnSale()]).toEqual(["first@example.com", true]);

  await db.update(tools).set({ credentialId: null }).where(eq(tools.id, tool.id));
  await db.delete(credentials).where(eq(credentials.id, idle.id));
  const other = await create("Udemy", "other@example.com");
  await edit(other.id, "other@example.com");
  expect(await tool.read()).toMatchObject({ credentialId: first.id });

  await db.update(tools).set({ credentialId: null }).where(eq(tools.id, tool.id));
  await db.delete(credentials).where(eq(credentials.id, other.id));
  await ensureCredential(admin, form("QuillBot", "ensured@example.com"));
  expect(await tool.email()).toBe("first@example.com");
});

test("a second credential leaves the buyers of a deleted tool their sign-in too", async () => {
  const tool = await addToolOf("QuillBot");
  const first = await create("QuillBot", "first@example.com");
  await db.update(tools).set({ deletedAt: new Date(), isActive: false }).where(eq(tools.id, tool.id));
  await create("QuillBot", "second@example.com");
  expect(await tool.read()).toMatchObject({ credentialId: first.id });
});

test("a second credential keeps no sign-in that does not fit any more, and none of a tool whose buyers got none", async () => {
  const tool = await addToolOf("QuillBot");
  const first = await create("QuillBot", "first@example.com");
  await create("Quill", "second@example.com");
  const renamed = { ...form("Udemy", "first@example.com"), id: first.id, version: 1, password: "" };
  await updateCredential(admin, renamed);
  expect(await tool.email()).toBe("second@example.com");
  await db.insert(credentials).values({ service: "Quill", email: "a@example.com", passwordSealed: "-" });
  await create("Quill", "third@example.com");
  expect(await tool.read()).toMatchObject({ credentialId: null });
  expect(await tool.isOnSale()).toBe(false);
});

test("none of 60 credentials that are created in parallel takes the sign-in away", async () => {
  const [used, unused] = [await addToolOf("Canva"), await addToolOf("Udemy")];
  const first = await create("Canva", "first@example.com");
  await Promise.all(
    Array.from({ length: 30 }, (_, at) => at).flatMap((at) => [
      create("Canva", `canva-${at}@example.com`),
      create("Udemy", `udemy-${at}@example.com`),
    ]),
  );
  expect(await db.$count(credentials)).toBe(61);
  expect(await used.read()).toMatchObject({ credentialId: first.id });
  expect(await unused.email()).toMatch(/^udemy-/);
  expect([await used.isOnSale(), await unused.isOnSale()]).toEqual([true, true]);
});

test.each([
  ["Stealth Writer", ["Stealth Writer", "Stealth Writer Two", "QuillBot"]],
  ["write-human", ["WriteHuman", "Write Human Pro", " WRITE_HUMAN "]],
  ["ChatGPT+", ["ChatGPT", "Chat GPT Plus"]],
  ["Café", ["CAFÉ", "Cafe"]],
  ["+", ["+", "Canva"]],
  ["Canva", ["", "-", "Can"]],
])("the browser finds for the service %j the same best credentials of %j as the database", async (service, stored) => {
  const rows = stored.map((name, at) => ({
    service: name,
    email: `box-${at}@example.com`,
    passwordSealed: "-",
  }));
  const all = await db.insert(credentials).values(rows).returning();
  const choice = { credentialId: null, credentialService: service };
  const { fits, rank } = matchCredential({
    credentialId: sql`null::uuid`,
    credentialService: sql`${service}::text`,
  });
  const found = await db.select({ id: credentials.id, rank }).from(credentials).where(fits);
  const least = Math.min(...found.map((one) => one.rank));
  const best = found.flatMap((one) => (one.rank === least ? [one.id] : []));
  expect(
    findBestFitting(choice, all)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(best.sort());
});
