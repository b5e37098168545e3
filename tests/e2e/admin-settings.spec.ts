import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { makePasswordEntriesOld, readSettings, restoreSettings } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";

async function openSettings(shop: ShopPage): Promise<void> {
  await signInAsAdmin(shop);
  await shop.page.getByRole("link", { name: "Settings", exact: true }).click();
  await expect(shop.page.getByLabel("Store name")).toBeVisible();
}

const save = (shop: ShopPage) => shop.page.getByRole("button", { name: "Save Settings" }).click();
const saved = (shop: ShopPage) => shop.page.getByText("Settings saved.");

let settingsBefore: unknown[] = [];
test.beforeEach(async () => {
  settingsBefore = await readSettings();
});
// The other journeys read the texts and numbers of the demo shop.
test.afterEach(async () => restoreSettings(settingsBefore));

test("the owner changes the settings, which the shop then shows, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSettings(shop);
  await expect(page.getByLabel("Time zone")).not.toBeEditable();
  await expect(page.getByText("Set on the server, in STORE_TIME_ZONE.", { exact: false })).toBeVisible();
  await page.getByLabel("Support number 1", { exact: true }).fill("98765");
  await save(shop);
  await expect(page.getByText("Enter the number with its country code")).toBeVisible();

  await page.getByLabel("Store name").fill("Asha's Shop");
  await page.getByLabel("Average rating").fill("");
  await page.getByLabel("Users", { exact: true }).fill("200+");
  await page.getByLabel("Support number 1", { exact: true }).fill("+919876543210");
  await page.getByLabel("Support number 2", { exact: true }).fill("");
  await page.getByLabel("Tool to give away").selectOption("Canva");
  await expect(page.getByLabel("Releases in 30 days")).toHaveAttribute("placeholder", "2");
  await page.getByLabel("Devices per buyer").fill("3");
  await expect(page.getByLabel("Sign out after hours of inactivity")).toHaveAttribute("placeholder", "12");
  await page.getByLabel("Sign out after hours of inactivity").fill("73");
  await expect(page.getByLabel("Sign out after days in any case")).toHaveAttribute("placeholder", "7");
  await page.getByLabel("Terms").fill("Be kind.\n\nPay once.");
  await save(shop);
  await expect(page.getByText("Enter the hours as a whole number from 1 to 72.")).toBeVisible();
  await page.getByLabel("Sign out after hours of inactivity").fill("8");
  await expect(page.getByText("Not saved yet")).toBeVisible();
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await save(shop);
  await expect(saved(shop)).toBeVisible();
  await expect(page.getByText("Not saved yet")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Save Settings" })).toBeFocused();
  await shop.reload();
  await expect(page.getByLabel("Terms")).toHaveValue("Be kind.\n\nPay once.");
  await expect(page.getByLabel("Tool to give away")).toHaveValue("canva");
  await expect(page.getByLabel("Devices per buyer")).toHaveValue("3");
  await expect(page.getByLabel("Releases in 30 days")).toHaveValue("");
  await expect(page.getByLabel("Sign out after hours of inactivity")).toHaveValue("8");
  await expect(page.getByLabel("Support number 2", { exact: true })).toHaveValue("");

  const visitor = await openOtherBrowser();
  await visitor.open("/");
  await expect(visitor.page.getByText("200+").first()).toBeVisible();
  await expect(visitor.page.getByText("Asha's Shop").first()).toBeVisible();
});

test("the policy of every page follows the demo video that the owner sets, without a restart", async ({
  shop,
  page,
}) => {
  const frames = async (path: string) => {
    const policy = (await page.request.get(path)).headers()["content-security-policy"] ?? "";
    return /frame-src ([^;]*)/.exec(policy)?.[1]?.split(" ") ?? [];
  };
  await openSettings(shop);
  const video = page.getByLabel("Demo video");
  const before = await video.inputValue();
  const origin = "https://video.example.net";
  expect(await frames("/")).not.toContain(origin);
  await video.fill(`${origin}/embed/1`);
  await save(shop);
  await expect(saved(shop)).toBeVisible();
  for (const path of ["/", "/admin/login", "/shop/canva"]) expect(await frames(path), path).toContain(origin);
  await video.fill(before);
  await save(shop);
  await expect.poll(() => frames("/")).not.toContain(origin);
});

test("what one admin types stays when another one saves, and nothing is overwritten", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const other = await openOtherBrowser();
  await openSettings(shop);
  await openSettings(other);
  const contactBefore = await page.getByLabel("Contact").inputValue();
  await page.getByLabel("Contact").fill("Half a sentence");
  await other.page.getByLabel("Privacy").fill("We keep little.");
  await save(other);
  await expect(saved(other)).toBeVisible();

  const conflict = page.getByText(/^Someone else has changed this in the meantime/);
  await expect(conflict).toBeVisible();
  await expect(page.getByLabel("Contact")).toHaveValue("Half a sentence");
  // What cannot be saved asks for no password.
  await makePasswordEntriesOld();
  await save(shop);
  await expect(conflict).toBeInViewport();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByLabel("Contact")).toHaveValue("Half a sentence");
  await page.getByRole("tab", { name: "Tools Management" }).click();
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard Mine and Show Theirs" }).click();
  await expect(page.getByLabel("Privacy")).toHaveValue("We keep little.");
  await expect(page.getByLabel("Contact")).toHaveValue(contactBefore);

  // A form in which nothing is typed follows by itself.
  await page.getByLabel("Privacy").fill("");
  await save(shop);
  const password = page.getByRole("dialog", { name: "Enter your password" });
  await password.getByLabel("Password", { exact: true }).fill(ADMIN_PASSWORD);
  await password.getByRole("button", { name: "Continue" }).click();
  await expect(saved(shop)).toBeVisible();
  await expect(other.page.getByLabel("Privacy")).toHaveValue("");
});

test("the settings are accessible", async ({ shop, page }) => {
  await openSettings(shop);
  await expectAccessible(page, "admin settings");
});

test("settings that are saved without a connection stay in the form, and are saved when it returns", async ({
  shop,
  page,
  browserErrors,
}) => {
  await openSettings(shop);
  await page.getByLabel("Contact").fill("Write to us.");
  await page.context().setOffline(true);
  await save(shop);
  await expect(page.getByText("Network error. Please check your internet connection.")).toBeVisible();
  await expect(page.getByLabel("Contact")).toHaveValue("Write to us.");
  await page.context().setOffline(false);
  await save(shop);
  await expect(saved(shop)).toBeVisible();
  expect(browserErrors.filter((error) => !error.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  browserErrors.length = 0;
});
