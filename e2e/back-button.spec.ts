import { expect } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser } from "./people.ts";

test("back closes the purchase sheet and stays on the page", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/dashboard");
  await page.getByRole("link", { name: "Purchase Tools" }).click();
  await shop.untilAlive();
  for (const _time of [1, 2]) {
    await shop.openPurchase("Canva");
    await expect(shop.purchase.pay("₹49")).toBeVisible();
    await page.goBack();
    await shop.purchase.expectGone();
    await expect(page).toHaveURL(/\/$/);
    await expect(page.getByRole("button", { name: "Get access to Canva" })).toBeFocused();
  }
  await page.goBack();
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expect(page).toHaveURL(/\/dashboard$/);
});

test("closed in any other way, the sheet leaves nothing behind in the history", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/dashboard");
  await page.getByRole("link", { name: "Purchase Tools" }).click();
  await shop.untilAlive();
  await shop.openPurchase("Canva");
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();

  await shop.openPurchase("Canva");
  await shop.purchase.goToGateway("₹49");
  await shop.purchase.gatewayButton("Close").click();
  await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
  await shop.purchase.goToGateway("₹49");
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.success).toBeVisible();
  await shop.purchase.root.getByRole("link", { name: "Open Canva" }).click();
  await expect(page).toHaveURL(/\/tools\/canva$/);
  await expect(shop.server("Server 1")).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
  await expect(shop.card("Canva")).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(shop.pass("Canva")).toBeVisible();
});
