import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { expectReadableWithLargeText } from "./large-text.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

const DIALOG = '[role="dialog"]';

test("with large text the home page is readable for visitors and users", async ({ shop, page }) => {
  await shop.open("/");
  await expectReadableWithLargeText(page, "home");
  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await shop.open("/");
  await expect(page.getByRole("button", { name: "Open Canva" })).toBeVisible();
  await expectReadableWithLargeText(page, "home signed in");
});

test("with large text the shop page of a tool is readable, with its bar to buy", async ({ shop, page }) => {
  await shop.open("/shop/chatgpt");
  await expect(page.getByRole("region", { name: "Buy ChatGPT Pro" })).toBeVisible();
  await expectReadableWithLargeText(page, "shop page");
});

test("with large text the views of the sign-in dialog are readable", async ({ shop, page }) => {
  await shop.open("/");
  await page.getByRole("button", { name: "Get access to Canva", exact: true }).tap();
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

test("with large text the purchase dialog is readable in all states", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await shop.open("/");
  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
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
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
  await buyPass(page, "chatgpt", "30 Days");
  await shop.purchase.pay("₹149").click();
  await expect(shop.purchase.root.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
  await expectReadableWithLargeText(page, "purchase owned", DIALOG);
});

test("with large text the dashboard and a tool page are readable", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await shop.open("/tools/chatgpt");
  await expect(shop.heading("Access Required")).toBeVisible();
  await expectReadableWithLargeText(page, "access required");
  await shop.open("/dashboard");
  await expectReadableWithLargeText(page, "dashboard empty");
  await buyPass(page, "chatgpt", "30 Days");
  await buyPass(page, "canva", "7 Days");
  await shop.open("/dashboard");
  await expect(shop.pass("ChatGPT Pro")).toBeVisible();
  await expectReadableWithLargeText(page, "dashboard");
  await shop.open("/tools/chatgpt");
  await expect(shop.server("Server 3")).toBeVisible();
  await expectReadableWithLargeText(page, "tool page");
  await shop.server("Server 1").getByRole("button", { name: "Show code" }).tap();
  await expect(page.getByLabel("The code for Server 1")).toBeVisible();
  await expectReadableWithLargeText(page, "code");
});

test("with large text the admin pages are readable", async ({ shop, page }) => {
  await shop.open("/admin");
  await expectReadableWithLargeText(page, "admin panel");
  await shop.open("/admin/login");
  await page.getByLabel("Email").fill("admin@example.com");
  await page.getByLabel("Password").fill(ADMIN_PASSWORD);
  await page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
  await expectReadableWithLargeText(page, "admin");
  await shop.open("/");
  await expectReadableWithLargeText(page, "home for the admin");
});

test("with large text the small pages and the connection dialog are readable", async ({
  shop,
  page,
  browserErrors,
}) => {
  await page.goto("/no/such/page");
  await expectReadableWithLargeText(page, "not found");
  await shop.open("/reset-password?token=none");
  await expectReadableWithLargeText(page, "new password");
  await signInAsNewUser(page);
  await shop.open("/");
  await page.context().setOffline(true);
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectReadableWithLargeText(page, "no connection", "dialog");
  browserErrors.length = 0;
});
