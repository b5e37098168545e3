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

test("a price that an older version has stored beside options is not in the file, and an upload replaces it with the cheapest option", async () => {
  const seeded = await canva();
  const typed = { pricePaise: 7700, originalPricePaise: 9900, validityDays: 15 };
  await shop.db.update(tools).set(typed).where(eq(tools.slug, "canva"));
  const file = await download();
  expect(file).not.toContain("77");
  const { changes, fingerprint } = await preview(file);
  expect(changes.filter(({ kind }) => kind !== "unchanged")).toMatchObject([{ kind: "changed" }]);
  await applyCatalogue(admin, { file, fingerprint });
  const { pricePaise, originalPricePaise, validityDays, pricingOptions } = seeded ?? {};
  expect(await canva()).toMatchObject({ pricePaise, originalPricePaise, validityDays, pricingOptions });
  expect(await download()).toBe(file);
});
