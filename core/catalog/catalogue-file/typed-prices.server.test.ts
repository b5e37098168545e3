import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import type { Context } from "../../context.ts";
import { applyCatalogue } from "./apply-catalogue.server.ts";
import { parseCatalogueFile } from "./catalogue-file.ts";
import { downloadCatalogue } from "./download-catalogue.server.ts";
import { previewCatalogue } from "./preview-catalogue.server.ts";
import { seedCatalogue } from "./seed-catalogue.server.ts";

const demoText = readFileSync(new URL("../../../db/seed/demo-catalogue.json", import.meta.url), "utf8");
const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-21T10:00:00Z") } });
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const seed = async (text: string) => {
  await shop.db.execute(
    "truncate tools, tool_page_openers, coupon_codes, access_codes, credentials, settings cascade",
  );
  expect(await seedCatalogue(shop.system(), parseCatalogueFile(text))).toBe("seeded");
};
beforeEach(() => seed(demoText));

const download = async () => (await downloadCatalogue(admin, {})).text;

async function preview(file: string) {
  const result = await previewCatalogue(admin, { file });
  if (result.kind === "invalid") throw new Error(result.problems.join("\n"));
  return result;
}

const canva = async () => (await shop.db.select().from(tools).where(eq(tools.slug, "canva")))[0];

test.each([
  { pricePaise: 7700, originalPricePaise: 9900, validityDays: 15 },
  { pricePaise: 0, originalPricePaise: null, validityDays: 12 },
])("the price and the validity that an admin typed beside options are in the file and come back: %o", async (typed) => {
  const seeded = await canva();
  const typePrices = (values: object) => shop.db.update(tools).set(values).where(eq(tools.slug, "canva"));
  await typePrices(typed);
  const file = await download();
  expect((await preview(file)).changes.filter(({ kind }) => kind !== "unchanged")).toEqual([]);
  await typePrices({ pricePaise: 100, validityDays: 1 });
  await applyCatalogue(admin, { file, fingerprint: (await preview(file)).fingerprint });
  expect(await canva()).toMatchObject({ ...typed, pricingOptions: seeded?.pricingOptions });
  await seed(file);
  expect(await canva()).toMatchObject({ ...typed, pricingOptions: seeded?.pricingOptions });
  expect(await download()).toBe(file);
});
