import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { signInAsNewUser } from "./test-users.ts";

test("the audit log says who did what, and is searched and filtered, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { email } = await signInAsNewUser((await openOtherBrowser()).page);
  await signInAsAdmin(shop);
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  const name = page.getByLabel("Name of number 1");
  const before = await name.inputValue();
  await name.fill("Chat 390");
  await page.getByRole("button", { name: "Save Settings" }).click();
  await expect(page.getByText("Settings saved.")).toBeVisible();

  await page.getByRole("link", { name: "Audit log" }).click();
  const rows = page.getByRole("table", { name: "Audit log" }).getByRole("row");
  const settings = rows.filter({ hasText: "Changed the settings" }).first();
  await expect(settings).toContainText(ADMIN_EMAIL);
  await settings.getByText("Changed the settings").click();
  await expect(settings).toContainText(before);
  await expect(settings).toContainText("Chat 390");
  await expectAccessible(page, "admin audit");

  const search = page.getByRole("searchbox", { name: "Search by email, action or ID" });
  await search.fill(email);
  await expect(page).toHaveURL(/q=/);
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: "Signed up" })).toContainText(email);
  await page.getByLabel("Who").selectOption("Visitors");
  await expect(page).toHaveURL(/actor=visitor/);
  await search.fill("no such thing at all");
  await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
});

test("the audit log shows what another admin does without a reload", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await signInAsAdmin(shop);
  await page.getByRole("link", { name: "Audit log" }).click();
  const rows = page.getByRole("table", { name: "Audit log" }).getByRole("row");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const signIns = rows.filter({ hasText: "Signed in to the admin area" });
  await expect(signIns.first()).toBeVisible();
  const before = await signIns.count();
  await signInAsAdmin(await openOtherBrowser());
  await expect(signIns).toHaveCount(before + 1);
});
