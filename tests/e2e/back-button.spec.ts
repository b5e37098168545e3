import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { signInAsNewUser } from "./test-users.ts";

test("each way of closing the purchase sheet or the payment window stays on the page and leaves no entry in the history", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await shop.open("/dashboard");
  await page.getByRole("link", { name: "Purchase Tools" }).click();
  await shop.waitForHydration();
  await test.step("the back button closes the purchase sheet and stays on the page", async () => {
    for (const _time of [1, 2]) {
      await shop.openPurchase("Canva");
      await expect(shop.purchase.pay("₹49")).toBeVisible();
      await page.goBack();
      await shop.purchase.expectGone();
      await expect(page).toHaveURL(/\/$/);
      await expect(page.getByRole("button", { name: "Get access to Canva" })).toBeFocused();
    }
  });
  await test.step("the back button closes the payment window, then the purchase sheet, and stays on the page", async () => {
    await shop.openPurchase("Canva");
    await shop.purchase.option("7 Days").check();
    for (const _time of [1, 2]) {
      await shop.purchase.openGateway("₹49");
      await page.goBack();
      await expect(page.locator('iframe[title="Test payment"]')).toHaveCount(0);
      await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    }
    await page.goBack();
    await shop.purchase.expectGone();
    await expect(page).toHaveURL("/");
  });
  await test.step("a sheet that is closed in another way leaves no entry in the history", async () => {
    await shop.openPurchase("Canva");
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();

    await shop.openPurchase("Canva");
    await shop.purchase.openGateway("₹49");
    await shop.purchase.gatewayButton("Close").click();
    await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    await shop.purchase.openGateway("₹49");
    await shop.purchase.gatewayButton("Pay").click();
    await shop.purchase.expectSuccess();
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
});

for (const [way, leave] of [
  ["the back button", (page: Page) => page.goBack()],
  ["Escape", (page: Page) => page.keyboard.press("Escape")],
] as const)
  test(`${way} on the success panel leads to the page of the tool, and the back button then to the page before`, async ({
    shop,
    page,
  }) => {
    await signInAsNewUser(page);
    await shop.open("/");
    await shop.openPurchase("Canva");
    // Stops the clock, so that the dialog does not close after two seconds.
    await page.clock.install();
    await shop.purchase.openGateway("₹49");
    await shop.purchase.gatewayButton("Pay").click();
    await expect(shop.purchase.success).toBeVisible();
    // The moment may be over when the browser gets the command.
    await expect(async () => page.clock.pauseAt(await page.evaluate(() => Date.now() + 500))).toPass();
    await leave(page);
    await page.clock.resume();
    await shop.purchase.expectToolPage("canva");
    await expect(shop.server("Server 1")).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(/\/$/);
    await expect(shop.card("Canva")).toBeVisible();
  });

test("the back button of a visitor leaves the skip link and the views of the sign-in sheet, and stays on the page", async ({
  shop,
  page,
}) => {
  await shop.open("/dashboard");
  await expect(page).toHaveURL(/\/$/);
  await test.step("the back button after the skip link stays on the page", async () => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#content$/);
    await page.goBack();
    await expect(page).toHaveURL(/\/$/);
    await expect(shop.cards).toHaveCount(12);
  });
  await test.step("the back button returns to the previous view of the sign-in sheet, then closes it, and stays on the page", async () => {
    await page.getByRole("button", { name: "Get access to Canva" }).click();
    await shop.signIn.expectAccount();
    await shop.signIn.choice("I have an account").check();
    await shop.signIn.button("Forgot password?").click();
    await shop.signIn.expectView("Reset password");
    await page.goBack();
    await shop.signIn.expectAccount();
    await page.goBack();
    await expect(shop.signIn.root).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Get access to Canva" })).toBeFocused();

    await page.getByRole("button", { name: "Open free Grammar Checker" }).click();
    await shop.signIn.expectView("Welcome");
    await expect(
      shop.signIn.root.getByText("Create an account to continue with Grammar Checker."),
    ).toBeVisible();
    await expect(shop.signIn.choices).toHaveText([
      "Create an Account",
      "Sign in with Email",
      "Continue with Google",
    ]);
    await shop.signIn.button("Create an Account").click();
    await shop.signIn.fill({ email: "asha@example.com", password: "kept" });
    await page.goBack();
    await shop.signIn.expectView("Welcome");
    await shop.signIn.button("Create an Account").click();
    await expect(shop.signIn.email).toHaveValue("asha@example.com");
    await page.goBack();
    await shop.signIn.expectView("Welcome");
    await page.goBack();
    await expect(shop.signIn.root).toHaveCount(0);
    await expect(page).toHaveURL(/\/$/);
    await expect(page.getByRole("button", { name: "Open free Grammar Checker" })).toBeFocused();
  });
});
