import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

const DIALOG = '[role="dialog"]';

/** The success panel closes by itself after two seconds, which is too soon to look at it. */
async function keepSuccessPanel(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const patient = (handler: TimerHandler, ms?: number, ...values: unknown[]) =>
      setTimeout(handler, ms === 2_000 ? 120_000 : ms, ...values);
    Object.assign(window, { setTimeout: patient });
  });
}

test("the home page and the public pages of a visitor are accessible", async ({ shop, page }) => {
  await shop.open("/");
  await expectAccessible(page, "home");
  await page.getByRole("searchbox", { name: "Search tools" }).fill("qqqqqq");
  await expect(page.getByRole("button", { name: "Show all tools" })).toBeVisible();
  await expectAccessible(page, "home nothing found", "main");
  await shop.open("/shop/chatgpt");
  await expectAccessible(page, "shop page");
  await shop.open("/terms");
  await expectAccessible(page, "terms");
});

test("the four views of the sign-in dialog are accessible", async ({ shop, page, openOtherBrowser }) => {
  const { email } = await signInAsNewUser((await openOtherBrowser()).page);
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.expectView("Welcome");
  await expectAccessible(page, "sign-in chooser");
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.fill({ email: "nobody@example.com", password: "x" });
  await shop.signIn.button("Sign In").click();
  await expect(shop.signIn.root.getByText(/^No account found/)).toBeVisible();
  await expectAccessible(page, "sign-in email", DIALOG);
  await shop.signIn.button("Sign up").click();
  await shop.signIn.expectView("Create account");
  await shop.signIn.fill({ email: "nobody@example.com", password: "123456789" });
  await shop.signIn.button("Create Account").click();
  await expect(shop.signIn.root.getByText(/password is too common/)).toBeVisible();
  await expectAccessible(page, "sign-in create", DIALOG);
  await shop.signIn.button("Back").click();
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.button("Forgot password?").click();
  await shop.signIn.email.fill(email);
  await shop.signIn.button("Send Reset Link").click();
  await expect(shop.signIn.root.getByText("This shop cannot send mail. Contact support.")).toBeVisible();
  await expectAccessible(page, "sign-in reset", DIALOG);
  await shop.open("/");
  await shop.choose("QuillBot");
  await shop.signIn.button("Continue with Google").click();
  await expect(shop.signIn.root.getByText(/not enabled/)).toBeVisible();
  await expectAccessible(page, "sign-in for a tool", DIALOG);
});

test("the purchase dialog is accessible in all states", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await shop.open("/");
  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
  await expectAccessible(page, "purchase");
  await shop.purchase.option("7 Days").check();
  await shop.purchase.openGateway("₹149");
  await expectAccessible(page, "gateway");
  await shop.purchase.gatewayButton("Fail").click();
  await shop.purchase.gatewayButton("Close").click();
  await expect(shop.purchase.notice("Payment failed. Please try again.")).toBeVisible();
  await expectAccessible(page, "purchase declined", DIALOG);
  await shop.page.keyboard.press("Escape");
  await shop.purchase.expectGone();

  await shop.openPurchase("ChatGPT Pro");
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
  await buyPass(page, "chatgpt", "30 Days");
  await shop.purchase.pay("₹149").click();
  await expect(shop.purchase.root.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
  await expectAccessible(page, "purchase owned", DIALOG);
});

test("the purchase dialog is accessible while it waits for the shop, and when the payment has arrived", async ({
  shop,
  page,
}) => {
  await keepSuccessPanel(page);
  const releaseOffer = await holdRequests(page, "**/checkout/offer?*");
  const releaseConfirm = await holdRequests(page, "**/checkout/confirm");
  await signInAsNewUser(page);
  await shop.open("/");
  await shop.openPurchase("QuillBot");
  await expectAccessible(page, "purchase loading", DIALOG);
  releaseOffer();
  await shop.purchase.option("7 Days").check();
  await shop.purchase.openGateway("₹39");
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.root.getByText(/^Confirming payment/)).toBeVisible();
  await expectAccessible(page, "purchase confirming", DIALOG);
  releaseConfirm();
  await expect(shop.purchase.success).toBeVisible();
  await expectAccessible(page, "purchase success", DIALOG);
});

test("the dialog of a tool that is sold in the chat is accessible", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await shop.open("/");
  await shop.openPurchase("Stealth Writer");
  await expect(shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" })).toBeVisible();
  await expectAccessible(page, "purchase contact", DIALOG);
});

test("the dashboard and the tool pages are accessible", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expectAccessible(page, "dashboard empty");
  await shop.open("/tools/chatgpt");
  await expect(shop.heading("Access Required")).toBeVisible();
  await expectAccessible(page, "access required");
  await buyPass(page, "chatgpt", "30 Days");
  await buyPass(page, "canva", "7 Days");
  await shop.open("/dashboard");
  await expect(shop.pass("ChatGPT Pro")).toBeVisible();
  await expectAccessible(page, "dashboard");
  await shop.open("/tools/chatgpt");
  await expect(shop.server("Server 3")).toBeVisible();
  await expectAccessible(page, "tool page");
});

test("the admin pages are accessible", async ({ shop, page }) => {
  await shop.open("/admin");
  await expectAccessible(page, "admin panel");
  await shop.open("/admin/login");
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByLabel("Password").fill("not-that-one");
  await page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(page.getByText(/^No account found/)).toBeVisible();
  await expectAccessible(page, "admin login");
  await page.getByLabel("Email").fill("admin@example.com");
  await page.getByLabel("Password").fill(ADMIN_PASSWORD);
  await page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
  await expectAccessible(page, "admin");
});

test("the small pages are accessible", async ({ shop, page }) => {
  await shop.open("/reset-password?token=none");
  await expectAccessible(page, "new password");
  await shop.open("/sign-in");
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByLabel("Password").fill("not-that-one");
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page.getByText(/^No account found/)).toBeVisible();
  await expectAccessible(page, "sign-in page", "main");
  await shop.open("/forgot-password");
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(page.getByText(/^No account found/)).toBeVisible();
  await expectAccessible(page, "forgotten password", "main");
  await page.goto("/no/such/page");
  await expectAccessible(page, "not found");
});
