import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query, setCodeActive } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test("the overview shows sales, test payments, recent purchases and what runs out", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await query("update tools set available_stock = 3 where slug = 'canva'", []);
  await setCodeActive("quillbot", "Server 1", false);
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "quillbot", "7 Days");
  await signInAsAdmin(shop);
  const overview = page.getByRole("region", { name: "Overview" });
  for (const period of ["Today", "Last 7 days", "Last 30 days"]) {
    // Test payments are no sales.
    await expect(overview.getByRole("row", { name: `${period} 0 ₹0` })).toBeVisible();
  }
  await expect(overview.getByText(/in test payments \(\d+ sales?\)/)).toBeVisible();
  await expect(overview.getByText(/^\d+ pass(es)? running/)).toBeVisible();
  await expect(overview.getByText(email).first()).toBeVisible();
  await expect(overview.getByRole("listitem").filter({ hasText: "Canva3 left" })).toBeVisible();
  await expect(overview.getByText(/^Updated \d\d\/\d\d\/\d\d, \d\d:\d\d$/)).toBeVisible();
  await expectAccessible(page, "admin overview");

  await page.setViewportSize({ width: 1280, height: 900 });
  await overview.getByRole("button", { name: "Show as a Table" }).click();
  await expect(overview.getByRole("table", { name: "Sales by day" }).getByRole("row")).toHaveCount(31);
  await expectAccessible(page, "admin overview table");
  await page.setViewportSize({ width: 1280, height: 900 });
  await overview.getByRole("button", { name: "Show as a Chart" }).click();
  await expect(overview.getByRole("table", { name: "Sales by day" })).toHaveCount(0);
  await overview
    .getByRole("listitem")
    .filter({ hasText: "Canva3 left" })
    .getByRole("link", { name: "Canva" })
    .click();
  await expect(page).toHaveURL(/\/admin\/tools\?q=Canva/);
  await setCodeActive("quillbot", "Server 1", true);
  // Later journeys in the same shop buy it.
  await query("update tools set available_stock = 500 where slug = 'canva'", []);
});

test("on a phone the figures and the tabs come before the overview and the checklist", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signInAsAdmin(shop);
  await expect(page.getByRole("tab", { name: "Users Management" })).toBeInViewport();
  await expect(page.getByText("Active Tools", { exact: true })).toBeInViewport();
  await expect(page.getByText("Last 30 days", { exact: true })).toBeHidden();
  await page.getByText("Overview", { exact: true }).click();
  await expect(page.getByText("Last 30 days", { exact: true })).toBeVisible();
  await page.getByText("Before you go live", { exact: true }).click();
  await expect(page.getByRole("heading", { name: "Set up email" })).toBeVisible();
  await expectAccessible(page, "admin overview open");
});

test("the checklist says what to do before going live, and a line goes away when it is done", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await signInAsAdmin(shop);
  await page.getByText("Before you go live", { exact: true }).click();
  const checklist = page.getByRole("region", { name: "Before you go live" });
  const line = (title: string) =>
    checklist.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
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
  for (const [title, button] of [
    ["May this shop resell what it lists?", "I may resell what I list"],
    ["Set up a backup", "A backup is set up"],
  ] as const) {
    await line(title).getByRole("button", { name: button }).click();
    await expect(line(title)).toHaveCount(0);
    await expect(page.getByText("Confirmed.")).toBeVisible();
  }
  await shop.reload();
  await page.getByText("Before you go live", { exact: true }).click();
  await expect(line("Set up a backup")).toHaveCount(0);
  await line("Enter your support numbers").getByRole("link", { name: "Open Settings" }).click();
  await expect(page).toHaveURL(/\/admin\/settings$/);
});
