import { expect, type Page } from "@playwright/test";
import { openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query, setCodeActive } from "./shop-database.ts";

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const nameUdemy = (name: string) => query("update tools set name = $1 where slug = 'udemy'", [name]);

test.afterEach(async () => {
  await nameUdemy("Udemy");
  await setCodeActive("udemy", "Server 1", true);
});

test("a long name without spaces leaves the actions of its row on the screen, at every width", async ({
  shop,
  page,
}) => {
  const name = "W".repeat(80);
  await nameUdemy(name);
  await setCodeActive("udemy", "Server 1", false);
  await openAsAdmin(shop, "/admin/tools");
  await expect(rowOf(page, name)).toBeVisible();
  for (const width of [1280, 1024, 390]) {
    await test.step(`the row of the tool, at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 844 });
      const button = width < 720 ? /^Actions: / : "Edit";
      const box = await rowOf(page, name).getByRole("button", { name: button }).boundingBox();
      expect(box?.x ?? width).toBeGreaterThan(0);
      expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    });
  }
  await page.getByRole("tab", { name: /^Coupon Codes/ }).click();
  const filter = page.getByRole("combobox", { name: "Tool", exact: true });
  await expect(page.getByRole("button", { name: "+ Add Coupon Code" })).toBeVisible();
  await page.getByRole("button", { name: "Filters and order" }).click();
  await expect(filter.getByRole("option", { name })).toBeAttached();
  for (const width of [390, 1024, 1280]) {
    await test.step(`the filter of the list, at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 844 });
      const filterBox = await filter.boundingBox();
      expect(filterBox?.width).toBeLessThanOrEqual(width === 390 ? 358 : 256);
      const searchBox = await page.getByRole("searchbox").boundingBox();
      if (width > 390) expect(Math.abs((filterBox?.y ?? 0) - (searchBox?.y ?? 0))).toBeLessThan(10);
    });
  }
  await shop.open("/admin/overview");
  const concern = page.getByRole("region", { name: "Overview" }).getByRole("listitem");
  const server = concern.filter({ hasText: name }).getByText("Server 1", { exact: true });
  for (const width of [390, 1024, 1280]) {
    await test.step(`the server without a code, at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 844 });
      // What a long name leaves of it is readable.
      await expect(server).toBeVisible();
      expect(await server.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
    });
  }
});
