import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type Page } from "@playwright/test";
import { strToU8, zipSync } from "fflate";
import { FILES, TOTALS } from "../fixtures/old-shop/expected.ts";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, enterPassword, purchaseRow, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/old-shop", import.meta.url));
/** The messy export of an old shop. */
const EXPORT = zipSync(
  Object.fromEntries(readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name))])),
);
const UNSAFE = zipSync({ "../tools.json": strToU8("[]") });
/** Each step is a process of its own. */
const STEP_MS = 90_000;

const moveIn = (page: Page) => page.getByRole("region", { name: "Move in" });

async function choose(page: Page, name: string, zip: Uint8Array): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await moveIn(page)
    .getByText(/^Choose (?:a|Another) Zip File$/)
    .click();
  await (await chooser).setFiles({ name, mimeType: "application/zip", buffer: Buffer.from(zip) });
}

const countOf = (page: Page, collection: string) =>
  moveIn(page).getByRole("row").filter({ hasText: collection }).getByRole("cell");

test("an admin uploads the export of an old shop, sees what it would become, and imports it", async ({
  browser,
}) => {
  // It starts a shop of its own, and several processes of that.
  test.setTimeout(400_000);
  const dataDir = makeDataDir();
  const process = await startShopProcess({ dataDir, port: await freePort(), settings: { ADMIN_PASSWORD } });
  const context = await browser.newContext({
    baseURL: process.url,
    viewport: { width: 1280, height: 900 },
  });
  const read = (text: string) => query(text, [], dataDir);
  const countUsers = () => read("select count(*)::int as count from users");
  try {
    const page = await context.newPage();
    const shop = new ShopPage(page);
    await signInAsAdmin(shop);
    await shop.open("/admin/settings");
    const second = await context.newPage();
    await new ShopPage(second).open("/admin/settings");

    await test.step("a zip with an unsafe path is refused with a sentence, and the password is asked for", async () => {
      await read("update sessions set password_entered_at = now() - interval '16 minutes'");
      await choose(page, "unsafe.zip", UNSAFE);
      await enterPassword(page);
      await expect(
        moveIn(page).getByText('The zip has a file with an unsafe path: "../tools.json".'),
      ).toBeVisible({ timeout: STEP_MS });
    });

    await test.step("the export is checked, which changes nothing, and a second tab sees it", async () => {
      await choose(page, "old-shop.zip", EXPORT);
      for (const tab of [page, second])
        await expect(moveIn(tab).getByText(/^Checked\. Nothing has been changed yet/)).toBeVisible({
          timeout: STEP_MS,
        });
      await expect(moveIn(page).getByText("old-shop.zip")).toBeVisible();
      await expect(countOf(page, "Tools").nth(1)).toHaveText(new RegExp(`${FILES.Tools?.documents}$`));
      await expect(
        moveIn(page)
          .getByRole("list", { name: "Needs your attention" })
          .getByText(/refused:/)
          .first(),
      ).toBeVisible();
      await moveIn(page)
        .getByText(/^Repaired \(/)
        .click();
      await expect(
        moveIn(page)
          .getByRole("list", { name: "Repaired" })
          .getByText(/repaired:/)
          .first(),
      ).toBeVisible();
      expect(await countUsers()).toEqual([{ count: 1 }]);
      await expectAccessible(page, "admin move in checked", "section[aria-labelledby=move-in]");
    });

    await test.step("the full report is a download", async () => {
      const downloading = page.waitForEvent("download");
      await moveIn(page).getByRole("link", { name: "Download the full report" }).click();
      const text = readFileSync(await (await downloading).path(), "utf8");
      expect(text).toContain("asha.rao@example.com");
      expect(text.split("\n").length).toBeGreaterThan(150);
    });

    await test.step("the import runs without its page, and its file is deleted", async () => {
      await moveIn(page).getByLabel("Also remove the demo tools that nobody bought").check();
      await moveIn(page).getByRole("button", { name: "Import", exact: true }).click();
      await expect(moveIn(page).getByText(/^Importing…/)).toBeVisible();
      await page.close();
      await expect(moveIn(second).getByText("Your old shop has been imported.")).toBeVisible({
        timeout: STEP_MS,
      });
      await expectAccessible(second, "admin move in done", "section[aria-labelledby=move-in]");
      const left = readdirSync(join(dataDir, "imports"));
      expect(left.filter((name) => !name.endsWith(".txt"))).toEqual([]);
      expect(existsSync(join(dataDir, "imports"))).toBe(true);
    });

    await test.step("people and purchases are in their tabs, and what the admin did in the audit log", async () => {
      expect(await countUsers()).toEqual([{ count: TOTALS.accounts }]);
      await second.getByRole("tab", { name: /^Users Management/ }).click();
      await second.getByRole("searchbox", { name: "Search users by email or name" }).fill("asha.rao");
      await expect(second.getByRole("table", { name: "Users" }).getByText("Asha Rao")).toBeVisible();
      await second.getByRole("tab", { name: /^User Purchases/ }).click();
      // The id that the purchase had in the old shop.
      await second
        .getByRole("searchbox", { name: "Search by email, tool, ID, phone, UTR, UPI or amount" })
        .fill("up-0002");
      const found = purchaseRow(second, "asha.rao@example.com", "ChatGPT Pro");
      await expect(found).toHaveCount(1);
      await expect(found.getByText("Imported", { exact: true })).toBeVisible();
      await new ShopPage(second).open("/admin/audit");
      for (const sentence of [
        "Uploaded the old shop’s export old-shop.zip",
        "Started the import of the old shop’s export old-shop.zip",
      ])
        await expect(
          second.getByRole("row").filter({ hasText: sentence }).filter({ hasText: ADMIN_EMAIL }),
        ).toBeVisible();
    });
  } finally {
    await context.close();
    await process.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
