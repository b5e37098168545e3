import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser } from "./people.ts";
import { purchasesOf } from "./shop-database.ts";

/** Goes on with Tab until the target has the focus; a page nobody can get out of fails here. */
async function goTo(page: Page, target: Locator): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 60 && !(await hasFocus()); presses += 1) await page.keyboard.press("Tab");
  await expect(target).toBeFocused();
}

test("a pass can be bought without a mouse, and the focus comes back", async ({ shop, page }) => {
  const { email } = await becomeUser(page);
  await shop.open("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: /^Skip/ })).toBeFocused();
  const card = page.getByRole("button", { name: "Get access to QuillBot" });
  await goTo(page, card);
  await page.keyboard.press("Enter");

  const { purchase } = shop;
  await expect(purchase.root.locator(":focus")).toHaveCount(1);
  await goTo(page, purchase.root.getByRole("radio", { checked: true }));
  while (!(await purchase.option("90 Days").isChecked())) await page.keyboard.press("ArrowDown");
  await goTo(page, purchase.pay("₹269"));
  await page.keyboard.press("Enter");
  await expect(purchase.gatewayButton("Pay")).toBeVisible();
  await goTo(page, purchase.gatewayButton("Pay"));
  await page.keyboard.press("Enter");
  await expect(purchase.success).toBeVisible();
  await purchase.expectGone();
  await expect(page.getByRole("button", { name: "Open QuillBot" })).toBeFocused();
  expect(await purchasesOf(email)).toMatchObject([{ status: "completed", days: 90, amount: 26_900 }]);
});

test("Escape leaves every window, and the focus goes back to where it was", async ({ shop, page }) => {
  await shop.open("/");
  const start = shop.accountNav.getByRole("button", { name: "Get Started" });
  await goTo(page, start);
  await page.keyboard.press("Enter");
  await shop.signIn.expectView("Welcome");
  await expect(shop.signIn.button("Continue with Google")).toBeFocused();
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();
  await expect(start).toBeFocused();

  await becomeUser(page);
  await shop.reload();
  await shop.openPurchase("HIX AI Assistant");
  await shop.purchase.option("30 Days").check();
  await shop.purchase.goToGateway("₹199");
  await page.keyboard.press("Escape");
  await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
  await expect(shop.purchase.pay("₹199")).toBeFocused();
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();
  await expect(page.getByRole("button", { name: "Get access to HIX AI Assistant" })).toBeFocused();
});
