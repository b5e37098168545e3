import { expect } from "@playwright/test";
import { openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { expectReadableWithLargeText } from "./large-text.ts";
import { buyPass, post, signInAsNewUser } from "./test-users.ts";

test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

const DIALOG = '[role="dialog"]';

test("the pages and the sign-in of a visitor are readable with large text", async ({ shop, page }) => {
  await test.step("the home page", async () => {
    await shop.open("/");
    await expectReadableWithLargeText(page, "home");
  });

  await test.step("the views of the sign-in dialog", async () => {
    await page.getByRole("button", { name: "Get access to Canva", exact: true }).tap();
    await shop.signIn.expectAccount();
    await shop.signIn.createAccount({ email: "nobody", password: "x" });
    await expectReadableWithLargeText(page, "sign-in for a tool", DIALOG);
    await page.keyboard.press("Escape");
    await expect(shop.signIn.root).toHaveCount(0);
    await shop.accountNav.getByRole("button", { name: "Get Started" }).tap();
    await shop.signIn.expectView("Welcome");
    await expectReadableWithLargeText(page, "sign-in chooser", DIALOG);
    await shop.signIn.button("Create an Account").tap();
    await shop.signIn.fill({ email: "nobody", password: "x" });
    await shop.signIn.button("Create Account").tap();
    await expect(shop.signIn.root.getByText("Please enter a valid email address.")).toBeVisible();
    await expectReadableWithLargeText(page, "sign-in create", DIALOG);
    await shop.signIn.button("Back").tap();
    await shop.signIn.button("Sign in with Email").tap();
    await shop.signIn.fill({ email: "nobody@example.com", password: "wrong" });
    await shop.signIn.button("Sign In").tap();
    await expect(shop.signIn.root.getByText(/^No account found/)).toBeVisible();
    await expectReadableWithLargeText(page, "sign-in email", DIALOG);
    await shop.signIn.button("Forgot password?").tap();
    await shop.signIn.expectView("Reset password");
    await expectReadableWithLargeText(page, "sign-in reset", DIALOG);
  });

  await test.step("the shop page of a tool, with its bar to buy", async () => {
    await shop.open("/shop/chatgpt");
    await shop.heading("How a pass works").evaluate((heading) => heading.scrollIntoView());
    await expect(page.getByRole("region", { name: "Buy ChatGPT Pro" })).toBeVisible();
    await expectReadableWithLargeText(page, "shop page");
  });

  await test.step("the small pages", async () => {
    await page.goto("/no/such/page");
    await expectReadableWithLargeText(page, "not found");
    await page.goto("/reset-password?token=none");
    await expectReadableWithLargeText(page, "new password");
  });
});

test("the pages and the purchase dialog of a user are readable with large text", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);

  await test.step("the tool page and the dashboard without a pass", async () => {
    await shop.open("/tools/chatgpt");
    await expect(shop.heading("Access Required")).toBeVisible();
    await expectReadableWithLargeText(page, "access required");
    await shop.open("/dashboard");
    await expectReadableWithLargeText(page, "dashboard empty");
  });

  await test.step("the dashboard with a payment that was not finished", async () => {
    expect((await post(page, "/checkout/start", { slug: "aihumanizer", option: null })).ok()).toBe(true);
    await shop.reload();
    await expect(page.getByRole("button", { name: "Dismiss the payment for AI Humanizer" })).toBeVisible();
    await expectReadableWithLargeText(page, "dashboard payment not finished");
  });

  await test.step("the home page of a buyer", async () => {
    await buyPass(page, "canva", "7 Days");
    await shop.open("/");
    await expect(page.getByRole("button", { name: "Open Canva" })).toBeVisible();
    await expectReadableWithLargeText(page, "home signed in");
  });

  await test.step("the purchase dialog in all states", async () => {
    await shop.openPurchase("ChatGPT Pro");
    await expect(shop.purchase.options).toHaveCount(3);
    await expectReadableWithLargeText(page, "purchase", DIALOG);
    await shop.purchase.option("7 Days").check();
    await shop.purchase.apply("NOSUCHCODE");
    await expect(shop.purchase.notice("Invalid coupon code")).toBeVisible();
    await expectReadableWithLargeText(page, "purchase coupon refused", DIALOG);
    await shop.purchase.apply("WELCOME20");
    await expect(shop.purchase.root.getByText("20% off", { exact: true })).toBeVisible();
    await expectReadableWithLargeText(page, "purchase coupon", DIALOG);
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();

    await shop.openPurchase("Stealth Writer");
    await expect(shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" })).toBeVisible();
    await expectReadableWithLargeText(page, "purchase contact", DIALOG);
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();

    await shop.openPurchase("ChatGPT Pro");
    await expect(shop.purchase.options).toHaveCount(3);
    await buyPass(page, "chatgpt", "30 Days");
    await shop.purchase.pay("₹149").click();
    await expect(shop.purchase.root.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
    await expectReadableWithLargeText(page, "purchase owned", DIALOG);
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
  });

  await test.step("the dashboard and tool pages, also of a tool with a long name", async () => {
    await buyPass(page, "aihumanizer", "7 Days");
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
    await expect(shop.pass("ChatGPT Pro")).toBeVisible();
    await expectReadableWithLargeText(page, "dashboard");
    await page.goto("/aihumanizer");
    await expectReadableWithLargeText(page, "tool page of the humanizer");
    await page.goto("/dashboard");
    await shop.pass("ChatGPT Pro").getByRole("link", { name: "Open ChatGPT Pro" }).tap();
    await expect(shop.server("Server 3")).toBeVisible();
    await expectReadableWithLargeText(page, "tool page");
    await shop.server("Server 1").getByRole("button", { name: "Show code" }).tap();
    await expect(page.getByLabel("The code for Server 1")).toBeVisible();
    await expectReadableWithLargeText(page, "code");
  });

  await test.step("the connection dialog", async () => {
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Dashboard" }).first().tap();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectReadableWithLargeText(page, "no connection", "dialog");
    browserErrors.length = 0;
  });
});

test("the admin pages are readable with large text", async ({ shop, page }) => {
  await shop.open("/admin");
  await expectReadableWithLargeText(page, "admin panel");
  await openAsAdmin(shop, "/admin");
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
  await expectReadableWithLargeText(page, "admin");
  await page.goto("/");
  await expectReadableWithLargeText(page, "home for the admin");
});
