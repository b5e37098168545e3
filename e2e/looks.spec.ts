import { expect } from "@playwright/test";
import { ADMIN_PASSWORD } from "./global-setup.ts";
import { test } from "./journey.ts";
import { expectGoodLooks } from "./looks.ts";
import { becomeUser, buy } from "./people.ts";

const DIALOG = '[role="dialog"]';

test("home, for a visitor", async ({ shop, page }) => {
  await shop.open("/");
  await expectGoodLooks(page, "home");
});

test("the sign-in modal in its four views", async ({ shop, page }) => {
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.expectView("Welcome");
  await expectGoodLooks(page, "sign-in chooser");
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.fill({ email: "nobody@example.com", password: "x" });
  await shop.signIn.button("Sign In").click();
  await expect(shop.signIn.root.getByText(/^No account found/)).toBeVisible();
  await expectGoodLooks(page, "sign-in email", DIALOG);
  await shop.signIn.button("Sign up").click();
  await shop.signIn.expectView("Create account");
  await expectGoodLooks(page, "sign-in create", DIALOG);
  await shop.signIn.button("Back").click();
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.button("Forgot password?").click();
  await shop.signIn.button("Send Reset Link").click();
  await expect(shop.signIn.root.getByText("Password reset email sent.", { exact: false })).toBeVisible();
  await expectGoodLooks(page, "sign-in reset", DIALOG);
});

test("the purchase modal, the payment and its end", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/");
  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
  await expectGoodLooks(page, "purchase");
  await shop.purchase.option("7 Days").check();
  await shop.purchase.goToGateway("₹149");
  await expectGoodLooks(page, "gateway");
  await shop.purchase.gatewayButton("Fail").click();
  await shop.purchase.gatewayButton("Close").click();
  await expect(shop.purchase.notice("Payment failed. Please try again.")).toBeVisible();
  await expectGoodLooks(page, "purchase declined", DIALOG);
  await shop.page.keyboard.press("Escape");
  await shop.purchase.expectGone();

  await buy(page, "chatgpt", "30 Days");
  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
  await expectGoodLooks(page, "purchase owned", DIALOG);
});

test("a tool that is sold in the chat", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/");
  await shop.openPurchase("Stealth Writer");
  await expect(shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" })).toBeVisible();
  await expectGoodLooks(page, "purchase contact", DIALOG);
});

test("the dashboard and the pages of tools", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expectGoodLooks(page, "dashboard empty");
  await shop.open("/tools/chatgpt");
  await expect(shop.heading("Access Required")).toBeVisible();
  await expectGoodLooks(page, "access required");
  await buy(page, "chatgpt", "30 Days");
  await buy(page, "canva", "7 Days");
  await shop.open("/dashboard");
  await expect(shop.pass("ChatGPT Pro")).toBeVisible();
  await expectGoodLooks(page, "dashboard");
  await shop.open("/tools/chatgpt");
  await expect(shop.server("Server 3")).toBeVisible();
  await expectGoodLooks(page, "tool page");
});

test("the admin's pages", async ({ shop, page }) => {
  await shop.open("/admin");
  await expectGoodLooks(page, "admin panel");
  await shop.open("/admin/login");
  await expectGoodLooks(page, "admin login");
  await page.getByLabel("Email").fill("admin@example.com");
  await page.getByLabel("Password").fill(ADMIN_PASSWORD);
  await page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
  await expectGoodLooks(page, "admin");
});

test("small pages", async ({ shop, page }) => {
  await shop.open("/reset-password?token=none");
  await expectGoodLooks(page, "new password");
  await page.goto("/no/such/page");
  await expectGoodLooks(page, "not found");
});
