import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { enterPassword, expectBanner, openAsAdmin } from "./admin-page.ts";
import { expectOnlyLostRequests, test } from "./fixtures.ts";
import { makePasswordEntriesOld, query, readSettings, restoreSettings } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";

test.use({ isTranslated: true });

// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const save = (shop: ShopPage) => shop.page.getByRole("button", { name: "Save Settings" }).click();
const saveAndSee = (shop: ShopPage) => expectBanner(shop.page, "Settings saved.", () => save(shop));

let settingsBefore: unknown[] = [];
test.beforeEach(async ({ shop: _ }) => {
  settingsBefore = await readSettings();
});
// The other journeys read the texts and numbers of the demo shop.
test.afterEach(async () => restoreSettings(settingsBefore));

test("the owner changes the settings, which the shop then shows, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
  browserErrors,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAsAdmin(shop, "/admin/settings");
  const number = page.getByLabel("Support number 1", { exact: true });
  const hours = page.getByLabel("Sign out after hours of inactivity");

  await test.step("a mistake is shown under its field", async () => {
    await expect(page.getByLabel("Time zone")).not.toBeEditable();
    await expect(page.getByText("Set on the server, in STORE_TIME_ZONE.", { exact: false })).toBeVisible();
    await number.fill("98765");
    await save(shop);
    await expect(page.getByText("Enter the number with its country code")).toBeVisible();
    await expectAccessible(page, "admin settings");
    await page.getByLabel("Store name").fill("Asha's Shop");
    await page.getByLabel("Headline", { exact: true }).fill("Passes from Pune");
    await page.getByLabel("Accent colour").selectOption("Sky");
    await page.getByLabel("Benefit 1", { exact: true }).fill("Real accounts");
    await page.getByLabel("City").fill("Pune");
    await expect(page.getByText("the home page says that they are examples", { exact: false })).toBeVisible();
    await page.getByLabel("Average rating").fill("");
    await page.getByLabel("Users", { exact: true }).fill("200+");
    await number.fill("+919876543210");
    await page.getByLabel("Support number 2", { exact: true }).fill("");
    await page.getByLabel("Tool to give away").selectOption("Canva");
    await expect(page.getByLabel("Releases in 30 days")).toHaveAttribute("placeholder", "2");
    await page.getByLabel("Devices per buyer").fill("3");
    await expect(hours).toHaveAttribute("placeholder", "12");
    await hours.fill("73");
    await expect(page.getByLabel("Sign out after days in any case")).toHaveAttribute("placeholder", "7");
    await page.getByLabel("Terms", { exact: true }).fill("Be kind.\n\nPay once.");
    await save(shop);
    await expect(page.getByText("Enter the hours as a whole number from 1 to 72.")).toBeVisible();
    await expect(page.getByText("Fill in all three benefits, or none.")).toHaveCount(2);
    await expect(page.getByText("Enter the seller’s name, or leave all fields empty.")).toBeVisible();
    await hours.fill("8");
    await page.getByLabel("Benefit 2", { exact: true }).fill("Human support");
    await page.getByLabel("Benefit 3", { exact: true }).fill("Works on phones");
    await page.getByRole("textbox", { name: "Seller", exact: true }).fill("Asha Digital");
    await page.getByLabel("Since (year)").fill("2021");
  });

  await test.step("the page asks before it is left without saving", async () => {
    await expect(page.getByText("Not saved yet")).toBeVisible();
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();
  });

  await test.step("the settings are saved, and shown after a reload", async () => {
    await saveAndSee(shop);
    await expect(page.getByText("Not saved yet")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Save Settings" })).toBeFocused();
    await shop.reload();
    await expect(page.getByLabel("Terms", { exact: true })).toHaveValue("Be kind.\n\nPay once.");
    await expect(page.getByLabel("Tool to give away")).toHaveValue("canva");
    await expect(page.getByLabel("Devices per buyer")).toHaveValue("3");
    await expect(page.getByLabel("Releases in 30 days")).toHaveValue("");
    await expect(hours).toHaveValue("8");
    await expect(page.getByLabel("Support number 2", { exact: true })).toHaveValue("");
  });

  await test.step("settings keep what was typed while the admin enters the password, and are then saved", async () => {
    await makePasswordEntriesOld();
    await number.fill("+919811122233");
    await save(shop);
    const password = page.getByRole("dialog", { name: "Enter your password" });
    await password.getByRole("button", { name: "Cancel" }).click();
    await expect(number).toHaveValue("+919811122233");
    expect(JSON.stringify(await query("select value from settings", []))).not.toContain("+919811122233");
    await save(shop);
    await expect(password.getByLabel("Password", { exact: true })).toBeFocused();
    await expectAccessible(page, "settings ask for the password");
    await expectBanner(page, "Settings saved.", () => enterPassword(page));
    await expect(number).toHaveValue("+919811122233");
    expect(JSON.stringify(await query("select value from settings", []))).toContain("+919811122233");
  });

  await test.step("settings that are saved without a connection stay in the form, and are saved when it returns", async () => {
    await page.getByLabel("Contact", { exact: true }).fill("Write to us.");
    await page.context().setOffline(true);
    await save(shop);
    await expect(page.getByText("Network error. Please check your internet connection.")).toBeVisible();
    await expect(page.getByLabel("Contact", { exact: true })).toHaveValue("Write to us.");
    await page.context().setOffline(false);
    await saveAndSee(shop);
    expectOnlyLostRequests(browserErrors);
  });

  await test.step("the policy of every page follows the demo video that the owner sets, without a restart", async () => {
    const frames = async (path: string) => {
      const policy = (await page.request.get(path)).headers()["content-security-policy"] ?? "";
      return /frame-src ([^;]*)/.exec(policy)?.[1]?.split(" ") ?? [];
    };
    const video = page.getByLabel("Demo video");
    const before = await video.inputValue();
    const origin = "https://video.example.net";
    expect(await frames("/")).not.toContain(origin);
    await video.fill(`${origin}/embed/1`);
    await saveAndSee(shop);
    for (const path of ["/", "/admin/login", "/shop/canva"])
      await expect.poll(() => frames(path), path).toContain(origin);
    await video.fill(before);
    await save(shop);
    await expect.poll(() => frames("/")).not.toContain(origin);
  });

  await test.step("a visitor sees the settings", async () => {
    const visitor = await openOtherBrowser({ javaScriptEnabled: false });
    await visitor.page.goto("/");
    await expect(visitor.page.getByText("200+").first()).toBeVisible();
    await expect(visitor.page.getByText("Asha's Shop").first()).toBeVisible();
    await expect(visitor.page.getByRole("heading", { level: 1 })).toHaveText("Passes from Pune");
    await expect(visitor.page.getByText("Sold by Asha Digital, Pune, since 2021")).toHaveCount(2);
    await expect(visitor.page.getByText("Example figures")).toHaveCount(0);
    await expect(visitor.page.locator("html")).toHaveAttribute("data-accent", "sky");
    await visitor.page.goto("/shop/canva");
    await expect(visitor.page.getByText("Sold by Asha Digital, Pune.", { exact: true })).toBeVisible();
    await shop.open("/");
    await expectAccessible(page, "home in another colour");
    await shop.openPurchase("Canva");
    await expect(shop.purchase.root.getByText("Human support", { exact: true })).toBeVisible();
    await expect(shop.purchase.root.getByText("Unlimited usage")).toHaveCount(0);
  });
});

test("what one admin types stays when another one saves, and nothing is overwritten", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin/settings");
  const other = new ShopPage(await page.context().newPage());
  await other.open("/admin/settings");
  const contactBefore = await page.getByLabel("Contact", { exact: true }).inputValue();
  await page.getByLabel("Contact", { exact: true }).fill("Half a sentence");
  await other.page.getByLabel("Privacy", { exact: true }).fill("We keep little.");
  await saveAndSee(other);

  const conflict = page.getByText(/^Someone else has changed this in the meantime/);
  await expect(conflict).toBeVisible();
  await expect(page.getByLabel("Contact", { exact: true })).toHaveValue("Half a sentence");
  // What cannot be saved asks for no password.
  await makePasswordEntriesOld();
  await save(shop);
  await expect(conflict).toBeInViewport();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByLabel("Contact", { exact: true })).toHaveValue("Half a sentence");
  await page.getByRole("tab", { name: "Tools Management" }).click();
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard Mine and Show Theirs" }).click();
  await expect(page.getByLabel("Privacy", { exact: true })).toHaveValue("We keep little.");
  await expect(page.getByLabel("Contact", { exact: true })).toHaveValue(contactBefore);

  // A form in which nothing is typed follows by itself.
  await page.getByLabel("Privacy", { exact: true }).fill("");
  await save(shop);
  await expectBanner(page, "Settings saved.", () => enterPassword(page));
  await expect(other.page.getByLabel("Privacy", { exact: true })).toHaveValue("");
});

test("the groups of the settings are linked beside them, and a link opens its group, at 1280 and 390 px", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await openAsAdmin(shop, "/admin/settings#giveaway");
  const groups = page.getByRole("navigation", { name: "Settings", exact: true });
  const group = (name: string) => page.getByRole("region", { name, exact: true });
  const heading = (name: string) => group(name).getByRole("heading", { name, exact: true });
  const expectCurrent = (name: string) =>
    expect(groups.locator("[aria-current]").filter({ visible: true })).toHaveText([name]);
  await expect(heading("Daily giveaway")).toBeInViewport();
  await expectCurrent("Daily giveaway");

  await groups.getByRole("link", { name: "Support" }).click();
  await expect(heading("Support")).toBeInViewport();
  await expect(page).toHaveURL(/#support$/);
  await expectCurrent("Support");
  // The next Tab goes on from there.
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Support number 1", { exact: true })).toBeFocused();
  // It cannot come to the top of the window.
  await groups.getByRole("link", { name: "Backups" }).click();
  await expectCurrent("Backups");
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectCurrent("Shop");

  await page.setViewportSize({ width: 390, height: 844 });
  await groups.getByRole("link", { name: "Texts" }).click();
  await expect(heading("Texts")).toBeInViewport();
  await expect(groups.getByRole("link", { name: "Texts" })).toBeInViewport();
  await expectCurrent("Texts");
});
