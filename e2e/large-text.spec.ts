import { expect } from "@playwright/test";
import { ADMIN_PASSWORD } from "./global-setup.ts";
import { test } from "./journey.ts";
import { expectRoomForText } from "./large-text.ts";
import { becomeUser, buy } from "./people.ts";

test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

const DIALOG = '[role="dialog"]';

test("with large text home can be read, signed out and signed in", async ({ shop, page }) => {
  await shop.open("/");
  await expectRoomForText(page, "home");
  await becomeUser(page);
  await buy(page, "canva", "7 Days");
  await shop.open("/");
  await expect(page.getByRole("button", { name: "Open Canva" })).toBeVisible();
  await expectRoomForText(page, "home signed in");
});

test("with large text the views of the sign-in dialog can be read", async ({ shop, page }) => {
  await shop.open("/");
  await page.getByRole("button", { name: "Get access to Canva", exact: true }).tap();
  await shop.signIn.expectView("Welcome");
  await expectRoomForText(page, "sign-in chooser", DIALOG);
  await shop.signIn.button("Create an Account").tap();
  await shop.signIn.fill({ email: "nobody", password: "x" });
  await shop.signIn.button("Create Account").tap();
  await expect(shop.signIn.root.getByText("Please enter a valid email address.")).toBeVisible();
  await expectRoomForText(page, "sign-in create", DIALOG);
  await shop.signIn.button("Back").tap();
  await shop.signIn.button("Sign in with Email").tap();
  await shop.signIn.fill({ email: "nobody@example.com", password: "wrong" });
  await shop.signIn.button("Sign In").tap();
  await expect(shop.signIn.root.getByText(/^No account found/)).toBeVisible();
  await expectRoomForText(page, "sign-in email", DIALOG);
  await shop.signIn.button("Forgot password?").tap();
  await shop.signIn.expectView("Reset password");
  await expectRoomForText(page, "sign-in reset", DIALOG);
});

test("with large text a purchase can be read, from the options to its end", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/");
  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
  await expectRoomForText(page, "purchase", DIALOG);
  await shop.purchase.option("7 Days").check();
  await shop.purchase.apply("NOSUCHCODE");
  await expect(shop.purchase.notice("Invalid coupon code")).toBeVisible();
  await expectRoomForText(page, "purchase coupon refused", DIALOG);
  await shop.purchase.apply("WELCOME20");
  await expect(shop.purchase.root.getByText("20% off", { exact: true })).toBeVisible();
  await expectRoomForText(page, "purchase coupon", DIALOG);
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();

  await shop.openPurchase("Stealth Writer");
  await expect(shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" })).toBeVisible();
  await expectRoomForText(page, "purchase contact", DIALOG);
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();

  await buy(page, "chatgpt", "30 Days");
  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
  await expectRoomForText(page, "purchase owned", DIALOG);
});

test("with large text the dashboard and the page of a tool can be read", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/tools/chatgpt");
  await expect(shop.heading("Access Required")).toBeVisible();
  await expectRoomForText(page, "access required");
  await shop.open("/dashboard");
  await expectRoomForText(page, "dashboard empty");
  await buy(page, "chatgpt", "30 Days");
  await buy(page, "canva", "7 Days");
  await shop.open("/dashboard");
  await expect(shop.pass("ChatGPT Pro")).toBeVisible();
  await expectRoomForText(page, "dashboard");
  await shop.open("/tools/chatgpt");
  await expect(shop.server("Server 3")).toBeVisible();
  await expectRoomForText(page, "tool page");
  await shop.server("Server 1").getByRole("button", { name: "Show code" }).tap();
  await expect(page.getByRole("dialog", { name: "The code of Server 1" })).toBeVisible();
  await expectRoomForText(page, "code", DIALOG);
});

test("with large text the admin's pages can be read", async ({ shop, page }) => {
  await shop.open("/admin");
  await expectRoomForText(page, "admin panel");
  await shop.open("/admin/login");
  await page.getByLabel("Email").fill("admin@example.com");
  await page.getByLabel("Password").fill(ADMIN_PASSWORD);
  await page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
  await expectRoomForText(page, "admin");
  await shop.open("/");
  await expectRoomForText(page, "home for the admin");
});

test("with large text the small pages and the missing connection can be read", async ({
  shop,
  page,
  faults,
}) => {
  await page.goto("/no/such/page");
  await expectRoomForText(page, "not found");
  await shop.open("/reset-password?token=none");
  await expectRoomForText(page, "new password");
  await becomeUser(page);
  await shop.open("/");
  await page.context().setOffline(true);
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectRoomForText(page, "no connection", "dialog");
  faults.length = 0;
});
