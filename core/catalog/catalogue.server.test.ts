import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { isDomainError } from "../errors.ts";
import { getTool, listActiveTools } from "./on-sale.server.ts";
import { readStoreSettings, STORE_SETTINGS_KEY } from "./store-settings.server.ts";

const shop = await startSandboxShop();

beforeEach(async () => {
  await shop.db.execute(sql`truncate ${tools} cascade`);
});

afterAll(() => shop.close());

const option = (label: string, validityDays: number, pricePaise: number) => ({
  label,
  validityDays,
  pricePaise,
  originalPricePaise: null,
});

test("the catalogue lists the cheapest tool first and tools of the same price by name", async () => {
  await shop.tool({ slug: "dear", name: "Dear", pricePaise: 39_900 });
  await shop.tool({ slug: "b", name: "B", pricePaise: 14_900 });
  await shop.tool({ slug: "a", name: "A", pricePaise: 14_900 });
  await shop.tool({ slug: "free", name: "Free", pricePaise: 0 });
  const listed = await listActiveTools(shop.visitor());
  expect(listed.map(({ slug }) => slug)).toEqual(["free", "a", "b", "dear"]);
});

test("the catalogue includes tools that are out of stock, but no inactive or deleted tool", async () => {
  await shop.tool({ slug: "empty", availableStock: 0 });
  await shop.tool({ slug: "resting", isActive: false });
  await shop.tool({ slug: "gone", deletedAt: new Date("2026-11-20T00:00:00Z") });
  const listed = await listActiveTools(shop.visitor());
  expect(listed.map(({ slug, availableStock }) => [slug, availableStock])).toEqual([["empty", 0]]);
});

test("the catalogue tells whether a tool has several options, and does not contain its servers", async () => {
  const servers = [{ id: "s-1", name: "Server 1", url: "https://example.com/hidden" }];
  await shop.tool({
    slug: "one",
    pricePaise: 1_000,
    pricingOptions: [option("7 Days", 7, 1_000)],
    servers,
  });
  await shop.tool({
    slug: "two",
    pricePaise: 2_000,
    pricingOptions: [option("7 Days", 7, 2_000), option("30 Days", 30, 5_000)],
    servers,
  });
  const listed = await listActiveTools(shop.visitor());
  expect(listed.map(({ slug, hasOptions }) => [slug, hasOptions])).toEqual([
    ["one", false],
    ["two", true],
  ]);
  expect(JSON.stringify(listed)).not.toContain("hidden");
});

test("the catalogue and a tool say where the tool works", async () => {
  await shop.tool({ slug: "canva", worksOn: ["phone", "laptop"] });
  expect((await listActiveTools(shop.visitor()))[0]?.worksOn).toEqual(["phone", "laptop"]);
  expect((await getTool(shop.visitor(), { slug: "canva" })).worksOn).toEqual(["phone", "laptop"]);
});

test("a tool is found by its slug in any case, with its options", async () => {
  await shop.tool({ slug: "canva", name: "Canva", pricingOptions: [option("7 Days", 7, 4_900)] });
  const tool = await getTool(shop.visitor(), { slug: " CANVA " });
  expect(tool).toMatchObject({ name: "Canva", pricingOptions: [{ label: "7 Days", pricePaise: 4_900 }] });
});

test.each([
  { isActive: false },
  { deletedAt: new Date("2026-11-20T00:00:00Z") },
])("a tool that is off sale is not found: %o", async (facts) => {
  await shop.tool({ slug: "off", ...facts });
  await expect(getTool(shop.visitor(), { slug: "off" })).rejects.toSatisfy((error) =>
    isDomainError(error, "tool-not-found"),
  );
});

test("a tool cannot be requested without a slug", async () => {
  await expect(getTool(shop.visitor(), {})).rejects.toSatisfy((error) =>
    isDomainError(error, "invalid-input"),
  );
});

describe("the store settings", () => {
  const store = {
    name: "Passes & Co",
    claims: { users: "10K+", rating: "4.9/5" },
    supportPhones: [{ label: "Chat", number: "+910000000001" }],
    dealsChannel: { label: "Our channel", url: "https://example.com/deals" },
  };

  /** What visitors see of fields that are empty. */
  const unset = {
    headline: null,
    accent: "marigold",
    benefits: null,
    seller: null,
    claimsAreExamples: false,
  };

  async function save(value: unknown) {
    await shop.db
      .insert(settings)
      .values({ key: STORE_SETTINGS_KEY, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } });
  }

  test("the settings of a new shop have a default name and nothing else", async () => {
    expect(await readStoreSettings(shop.visitor())).toEqual({
      ...unset,
      name: "Daypass",
      claims: [],
      supportPhones: [],
      dealsChannel: null,
      demoVideoUrl: null,
      pages: [],
      hasGiveaway: false,
    });
  });

  test("the store settings have the stored values, with claims in a fixed order", async () => {
    await save(store);
    expect(await readStoreSettings(shop.visitor())).toEqual({
      ...unset,
      name: "Passes & Co",
      claims: [
        { value: "4.9/5", label: "average rating" },
        { value: "10K+", label: "users" },
      ],
      supportPhones: [{ label: "Chat", hasOwnLabel: true, number: "+910000000001" }],
      dealsChannel: store.dealsChannel,
      demoVideoUrl: null,
      pages: [],
      hasGiveaway: false,
    });
  });

  test("the store settings are overridden by the environment", async () => {
    await save(store);
    const visitor = shop.visitor();
    const settingsNow = await readStoreSettings({
      ...visitor,
      store: {
        ...visitor.store,
        supportPhones: ["+911111111111"],
        dealsChannelUrl: "https://example.com/other",
        demoVideoUrl: "https://example.com/video.mp4",
      },
    });
    expect(settingsNow).toMatchObject({
      supportPhones: [{ label: "Support chat 1", hasOwnLabel: false, number: "+911111111111" }],
      dealsChannel: { label: "Our channel", url: "https://example.com/other" },
      demoVideoUrl: "https://example.com/video.mp4",
    });
  });

  test("invalid store settings fall back to the defaults with a logged warning", async () => {
    await save({ name: 12 });
    const warnings: string[] = [];
    const visitor = shop.visitor();
    const log = { ...visitor.log, warn: (_facts: object, message: string) => warnings.push(message) };
    expect(await readStoreSettings({ ...visitor, log })).toMatchObject({ name: "Daypass", claims: [] });
    expect(warnings).toHaveLength(1);
  });
});
