import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { startFakeS3 } from "../fake-s3/fake-s3.ts";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, enterPassword, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";

/** The backup is a process of its own. */
const BACKUP_MS = 200_000;

test("an admin backs the shop up: the file is verified and copied, and the shop says how old it is", async ({
  browser,
}) => {
  // It starts a shop of its own, and several processes of that.
  test.setTimeout(300_000);
  const s3 = await startFakeS3();
  const dataDir = makeDataDir();
  const process = await startShopProcess({
    dataDir,
    port: await freePort(),
    settings: {
      ADMIN_PASSWORD,
      BACKUP_PASSPHRASE: "a passphrase for journeys",
      BACKUP_S3_URL: s3.url("/bucket/shop"),
    },
  });
  const context = await browser.newContext({
    baseURL: process.url,
    viewport: { width: 1280, height: 900 },
  });
  try {
    const page = await context.newPage();
    const shop = new ShopPage(page);
    await signInAsAdmin(shop);
    await shop.open("/admin/overview");
    const item = page.getByRole("heading", { name: "Set up a backup" });
    await page
      .getByRole("listitem")
      .filter({ has: item })
      .getByRole("link", { name: "Open Backups" })
      .click();
    const backups = page.getByRole("region", { name: "Backups" });
    await expect(backups.getByText("None yet")).toBeInViewport();

    await test.step("the password is asked for, and the backup runs by itself", async () => {
      await query("update sessions set password_entered_at = now() - interval '16 minutes'", [], dataDir);
      await backups.getByRole("button", { name: "Back Up Now" }).click();
      await enterPassword(page);
      await expect(backups.getByText("You can leave this page.")).toBeVisible();
      await expect(backups.getByText("The backup is done and verified.")).toBeVisible({ timeout: BACKUP_MS });
    });

    await test.step("the file can be read by its owner only, and the store has a copy of it", async () => {
      const folder = join(dataDir, "backups");
      const [name = "", ...others] = readdirSync(folder);
      expect(others).toEqual(["verified.txt"]);
      expect(name).toMatch(/^daypass-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.zip\.age$/);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(s3.objects.get(`/bucket/shop/${name}`)?.equals(readFileSync(join(folder, name)))).toBe(true);
      await expect(backups.getByText(join(folder, name))).toBeVisible();
      await expect(backups.getByText(`${s3.host}/bucket/shop/${name}`)).toBeVisible();
      await expect(backups.getByText("Yes, with the keys")).toBeVisible();
      await expectAccessible(page, "admin backups", "section#backups");
    });

    await test.step("no scratch database is left", async () => {
      const databases = await query(
        "select datname from pg_database where datname like '%check%'",
        [],
        dataDir,
      );
      expect(databases).toEqual([]);
    });

    await test.step("the checklist has one line less, the overview and the audit log one more", async () => {
      await shop.open("/admin/overview");
      await expect(
        page.getByRole("region", { name: "Overview" }).getByRole("link", { name: / ago$/ }),
      ).toBeVisible();
      await expect(page.getByRole("heading", { name: "Enter your support numbers" })).toBeVisible();
      await expect(item).toHaveCount(0);
      await shop.open("/admin/audit");
      const event = page.getByRole("row").filter({ hasText: "Started a backup of the shop" });
      await expect(event.filter({ hasText: ADMIN_EMAIL })).toBeVisible();
    });

    await test.step("neither the page nor the log has a key or the passphrase", async () => {
      const text = process.output() + (await page.content());
      for (const secret of ["s/ecret+with=signs", "s%2Fecret", "a passphrase for journeys"])
        expect(text).not.toContain(secret);
    });
  } finally {
    await context.close();
    await process.stop();
    await s3.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
