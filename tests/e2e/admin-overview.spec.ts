import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { expectBanner, openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { setStock } from "./payment-records.ts";
import { readSettings, restoreSettings, setCodeActive } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

// The journey has many steps.
test.describe.configure({ timeout: 240_000 });

let settingsBefore: unknown[] = [];
test.beforeEach(async ({ shop: _ }) => {
  settingsBefore = await readSettings();
  await setStock("canva", 3);
  await setCodeActive("quillbot", "Server 1", false);
});
// Later journeys in the same shop buy both.
test.afterEach(async () => {
  await setCodeActive("quillbot", "Server 1", true);
  await setStock("canva", 500);
  await restoreSettings(settingsBefore);
});

test("the overview is one page, whose link says how much needs attention, and the checklist says what to do before going live", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "quillbot", "7 Days");
  const overview = page.getByRole("region", { name: "Overview" });
  const checklist = page.getByRole("region", { name: "Before you go live" });
  const link = page.getByRole("link", { name: /^Overview \d+ need attention$/ });
  const readAttention = async () => Number(/\d+/.exec(await link.innerText())?.[0]);

  await test.step("on a phone the link to the overview is beside the tabs", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openAsAdmin(shop, "/admin");
    await expect(page.getByRole("tab", { name: "Users Management" })).toBeInViewport();
    await expect(overview).toHaveCount(0);
    await link.click();
    await expect(page).toHaveURL(/\/admin\/overview$/);
    await expect(checklist.getByRole("heading", { name: "Set up email" })).toBeVisible();
    await expect(overview.getByText("Last 30 days", { exact: true })).toBeVisible();
    await expectAccessible(page, "admin overview");
  });

  await test.step("the overview shows sales, test payments, recent purchases and what runs out", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    for (const period of ["Today", "Last 7 days", "Last 30 days"]) {
      // Test payments are no sales.
      await expect(overview.getByRole("row", { name: `${period} 0 ₹0` })).toBeVisible();
    }
    await expect(overview.getByText(/in test payments \(\d+ sales?\)/)).toBeVisible();
    await expect(overview.getByText(/^\d+ pass(es)? running/)).toBeVisible();
    await expect(overview.getByText(email).first()).toBeVisible();
    const runsOut = overview.getByRole("listitem").filter({ hasText: "Canva3 left" });
    await expect(runsOut).toBeVisible();
    await expect(overview.getByText(/^Updated \d\d\/\d\d\/\d\d, \d\d:\d\d$/)).toBeVisible();
    await overview.getByRole("button", { name: "Show as a Table" }).click();
    await expect(overview.getByRole("table", { name: "Sales by day" }).getByRole("row")).toHaveCount(31);
    await expectAccessible(page, "admin overview table", "[aria-label=Overview]");
    await overview.getByRole("button", { name: "Show as a Chart" }).click();
    await expect(overview.getByRole("table", { name: "Sales by day" })).toHaveCount(0);
    await runsOut.getByRole("link", { name: "Canva" }).click();
    await expect(page).toHaveURL(/\/admin\/tools\?q=Canva/);
    await page.goBack();
  });

  const line = (title: string) =>
    checklist.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
  await test.step("the checklist says what to do before going live, and a line goes away when it is done", async () => {
    for (const title of [
      "Take real payments",
      "Enter your support numbers",
      "Name your shop",
      "Replace the demo texts",
      "Choose your own password",
      "Set up email",
      "Show true claims",
    ]) {
      await expect(line(title)).toBeVisible();
    }
    await expect(line("Set up email")).toContainText("SMTP_URL=smtps://user:password@mail.example.com:465");
    await expect(line("Take real payments")).toContainText("RAZORPAY_KEY_ID=rzp_live_…");
    const before = await readAttention();
    for (const [title, button] of [
      ["May this shop resell what it lists?", "I may resell what I list"],
      ["Set up a backup", "I back up another way"],
    ] as const) {
      await expectBanner(page, "Confirmed.", () => line(title).getByRole("button", { name: button }).click());
      await expect(line(title)).toHaveCount(0);
    }
    await expect.poll(readAttention).toBe(before - 2);
  });

  await test.step("a confirmed line stays away, and a line leads to where it is done", async () => {
    await shop.open("/admin/overview");
    await expect(line("Enter your support numbers")).toBeVisible();
    await expect(line("Set up a backup")).toHaveCount(0);
    await line("Enter your support numbers").getByRole("link", { name: "Open Settings" }).click();
    await expect(page).toHaveURL(/\/admin\/settings$/);
  });
});
