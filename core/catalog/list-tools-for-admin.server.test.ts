import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPageGrants } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { addDays } from "../time.ts";
import { listToolChoices, listToolsForAdmin } from "./list-tools-for-admin.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const now = shop.clock.now();
const SERVERS = [{ id: "canva-1", name: "Server 1", url: null }];
let admin: Context;
let bundleId: string;

beforeAll(async () => {
  admin = await shop.user("admin");
  const at = (n: number) => ({ createdAt: addDays(now, n) });
  const shown = { badge: "New", servers: SERVERS };
  await shop.tool({ name: "Canva", slug: "canva", ...at(1), pricePaise: 300, availableStock: 1, ...shown });
  bundleId = (await shop.tool({ name: "bundle", slug: "all", ...at(2), pricePaise: 200, isActive: false }))
    .id;
  await shop.tool({ name: "Gone", slug: "gone", ...at(3), deletedAt: now });
  await shop.tool({ name: "Azure", slug: "azure", ...at(4), pricePaise: 100, availableStock: 0 });
  await shop.db.insert(toolPageGrants).values([
    { page: "canva", toolId: bundleId },
    { page: "canva", toolName: "Canva (old)" },
  ]);
});
afterAll(() => shop.close());

const slugs = async (input: ListInput) =>
  (await listToolsForAdmin(admin, input)).rows.map(({ slug }) => slug);

test("the list of tools shows those on and off sale with what opens their pages, without deleted ones", async () => {
  const { rows, total } = await listToolsForAdmin(admin, {});
  expect(total).toBe(3);
  expect(rows.map(({ slug }) => slug)).toEqual(["azure", "all", "canva"]);
  expect(rows[2]).toMatchObject({
    pricePaise: 300,
    version: 1,
    servers: SERVERS,
    pricingOptions: [],
    launchUrl: null,
    openers: { toolIds: [bundleId], toolNames: ["Canva (old)"] },
  });
  expect(rows[0]?.openers).toEqual({ toolIds: [], toolNames: [] });
});

test.each<[ListInput, string[]]>([
  [{ q: "anv" }, ["canva"]],
  [{ q: "all" }, ["all"]],
  [{ q: "gone" }, []],
  [{ direction: "asc" }, ["canva", "all", "azure"]],
  [{ sort: "name", direction: "asc" }, ["azure", "all", "canva"]],
  [{ sort: "price" }, ["canva", "all", "azure"]],
  [{ sort: "stock" }, ["all", "canva", "azure"]],
])("the list of tools is searched and sorted: %o", async (input, found) => {
  expect(await slugs(input)).toEqual(found);
});

test("the list of tools is for admins only", async () => {
  await expect(listToolsForAdmin(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listToolsForAdmin(await shop.user(), {})).rejects.toMatchObject({ code: "forbidden" });
});

test("the choices are all tools that are not deleted, by name in any case", async () => {
  const choices = await listToolChoices(admin);
  expect(choices.map(({ name, isActive }) => [name, isActive])).toEqual([
    ["Azure", true],
    ["bundle", false],
    ["Canva", true],
  ]);
  expect(choices[2]).toMatchObject({
    badge: "New",
    pricePaise: 300,
    availableStock: 1,
    serverNames: ["Server 1"],
  });
});

test("the choices are for admins only", async () => {
  await expect(listToolChoices(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listToolChoices(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("a search of tools with one or two letters finds the words that begin with them, and finds signs and emoji", async () => {
  await shop.tool({ name: "HIX AI Assistant ✨", slug: "hix" });
  await shop.tool({ name: "Mailchimp (C++)", slug: "mail" });
  for (const q of ["AI", "ai", "a", "✨", "HIX AI"])
    expect([q, await slugs({ q })]).toEqual([q, expect.arrayContaining(["hix"])]);
  for (const q of ["+", "C+", "(c"]) expect([q, await slugs({ q })]).toEqual([q, ["mail"]]);
  expect(await slugs({ q: "AI" })).toEqual(["hix"]);
  expect(await slugs({ q: "🎨" })).toEqual([]);
});
