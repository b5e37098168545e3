import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { getOffer } from "../../checkout/get-offer.server.ts";
import { chooseOption } from "../../checkout/pricing.ts";
import type { Context } from "../../context.ts";
import { assignTool, listAssignableTools } from "../../passes/give-pass.server.ts";
import { addDays } from "../../time.ts";
import { getToolPage } from "../../tool-pages/get-tool-page.server.ts";
import { listToolChoices, listToolsForAdmin } from "../list-tools-for-admin.server.ts";
import { findToolBySlugOrName, findToolOnSale, getTool, listActiveTools } from "../on-sale.server.ts";
import { createTool, updateTool } from "./manage-tools.server.ts";

const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
});
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
  launchUrl: "https://video.example/",
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
  const [tool] = await shop.db.select().from(tools).where(eq(tools.id, id));
  if (tool === undefined) throw new Error("no such tool");
  return tool;
}

/** The first price and two more. */
const SEVERAL = {
  validityDays: "30",
  price: "149",
  originalPrice: "499",
  pricingOptions: [
    { validityDays: "90", price: "399", originalPrice: "0" },
    { validityDays: "1", price: "19.5", originalPrice: "29", label: "" },
  ],
};
const cheapest = { pricePaise: 1950, originalPricePaise: 2900, validityDays: 1 };

describe("a tool with several prices", () => {
  test("all prices of a tool are its options, and the cheapest is stored as its own price", async () => {
    const { id, edit } = await addTool(SEVERAL);
    const stored = await rowOf(id);
    expect(stored).toMatchObject(cheapest);
    expect(stored.pricingOptions.map(({ validityDays }) => validityDays)).toEqual([1, 30, 90]);
    await edit({ pricingOptions: [{ validityDays: "45", price: "149" }] });
    const edited = await rowOf(id);
    expect(edited).toMatchObject({ pricePaise: 14900, originalPricePaise: 49900, validityDays: 30 });
    expect(edited.pricingOptions.map(({ validityDays }) => validityDays)).toEqual([30, 45]);
  });

  test("a single price is the tool's own, and ends the options", async () => {
    const { id, edit } = await addTool(SEVERAL);
    await edit({ pricingOptions: [] });
    expect(await rowOf(id)).toMatchObject({
      pricePaise: 14900,
      originalPricePaise: 49900,
      validityDays: 30,
      pricingOptions: [],
    });
  });

  test("a tool costs what its cheapest option costs, in the catalogue, for the card and in the offer, also when an older version has stored another price of its own", async () => {
    const { id } = await addTool(SEVERAL);
    await shop.db.update(tools).set({ pricePaise: 7700, validityDays: 15 }).where(eq(tools.id, id));
    const { slug, name } = await rowOf(id);
    const visitor = shop.visitor();
    expect(await getTool(visitor, { slug })).toMatchObject(cheapest);
    expect(await findToolBySlugOrName(visitor, name)).toMatchObject(cheapest);
    expect(await findToolOnSale(visitor, { id })).toMatchObject(cheapest);
    const card = (await listActiveTools(visitor)).find((one) => one.slug === slug);
    expect(card).toMatchObject(cheapest);
    const choice = (await listToolChoices(admin)).find((one) => one.id === id);
    expect(choice).toMatchObject({ pricePaise: 1950 });
    const option = chooseOption(await getTool(visitor, { slug }), null);
    expect(option).toMatchObject({ label: "1 Day", pricePaise: 1950 });
  });

  test("a tool with options is sorted by the price of its cheapest option, in the catalogue and in the list of the admin", async () => {
    const names = ["A", "B", "C"].map((letter) => `Sorted ${letter} ${newName()}`);
    const [dear, middle, cheap] = names;
    await addTool({ name: dear, price: "905", pricingOptions: [{ validityDays: "7", price: "903" }] });
    await addTool({ name: middle, price: "902" });
    await addTool({ name: cheap, price: "999", pricingOptions: [{ validityDays: "7", price: "901" }] });
    const sorted = [cheap, middle, dear];
    const listed = await listActiveTools(shop.visitor());
    expect(listed.flatMap(({ name }) => (names.includes(name) ? [name] : []))).toEqual(sorted);
    const { rows } = await listToolsForAdmin(admin, { q: "sorted", sort: "price", direction: "asc" });
    expect(rows.map(({ name }) => name)).toEqual(sorted);
    const buyer = await shop.user();
    const assignable = await listAssignableTools(admin, { userId: buyer.actor.userId });
    expect(assignable.flatMap(({ name }) => (names.includes(name) ? [name] : []))).toEqual(sorted);
  });

  test("a tool with options is never free: a price of 0 that an older version has stored neither opens its page nor makes its offer free", async () => {
    const { id } = await addTool(SEVERAL);
    await shop.db.update(tools).set({ pricePaise: 0 }).where(eq(tools.id, id));
    const { slug } = await rowOf(id);
    const buyer = await shop.user();
    expect(await getToolPage(buyer, { slug })).toMatchObject({ access: "required" });
    expect(await getOffer(buyer, { tool: slug })).toMatchObject({ state: "payments-not-set-up" });
  });

  test("a tool with options is assigned for the days of its cheapest option", async () => {
    const { id } = await addTool(SEVERAL);
    const buyer = await shop.user();
    const { userId } = buyer.actor;
    const assignable = await listAssignableTools(admin, { userId });
    expect(assignable.find((one) => one.id === id)).toMatchObject({ validityDays: 1, pricePaise: 1950 });
    const { expiresAt } = await assignTool(admin, { userId, toolId: id });
    expect(expiresAt).toEqual(addDays(admin.clock.now(), 1));
    expect(await shop.purchasesOf(buyer)).toMatchObject([{ validityDays: 1, listPricePaise: 1950 }]);
  });

  test("the first price is checked as the others are", async () => {
    for (const [changes, field] of [
      [{ price: "0.50" }, "price"],
      [{ price: "77", originalPrice: "76" }, "originalPrice"],
    ] as const)
      await expect(createTool(admin, form({ ...SEVERAL, ...changes }))).rejects.toMatchObject({
        code: "invalid-input",
        fields: { [field]: [expect.any(String)] },
      });
  });
});
