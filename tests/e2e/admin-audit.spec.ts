import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, expectBanner, openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { readSettings, restoreSettings } from "./shop-database.ts";
import { signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true });

test("the audit log says who did what without a reload, and is searched and filtered, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const settingsBefore = await readSettings();
  await openAsAdmin(shop, "/admin/settings");
  const name = page.getByLabel("Name of number 1");
  const before = await name.inputValue();
  await name.fill("Chat 390");
  await expectBanner(page, "Settings saved.", () =>
    page.getByRole("button", { name: "Save Settings" }).click(),
  );

  await page.getByRole("link", { name: "Audit log" }).click();
  const rows = page.getByRole("table", { name: "Audit log" }).getByRole("row");
  const settings = rows.filter({ hasText: "Changed the settings" }).first();
  await expect(settings).toContainText(ADMIN_EMAIL);
  await expect(rows.filter({ hasText: /from (127\.0\.0\.1|::1)/ }).first()).toContainText(ADMIN_EMAIL);
  await settings.getByText("Changed the settings").click();
  await expect(settings).toContainText(before);
  await expect(settings).toContainText("Chat 390");
  await expectAccessible(page, "admin audit");
  await restoreSettings(settingsBefore);

  let email = "";
  await test.step("the audit log shows what somebody else does without a reload", async () => {
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    email = (await signInAsNewUser((await openOtherBrowser()).page)).email;
    await expect(rows.filter({ hasText: "Signed up" }).filter({ hasText: email })).toBeVisible();
  });

  const search = page.getByRole("searchbox", { name: "Search by email, action or ID" });
  await search.fill(email);
  await expect(page).toHaveURL(/q=/);
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: "Signed up" })).toContainText(email);
  await page.getByRole("button", { name: "Filters and order" }).click();
  await page.getByLabel("Who").selectOption("Visitors");
  await expect(page).toHaveURL(/actor=visitor/);
  await search.fill("no such thing at all");
  await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
});
