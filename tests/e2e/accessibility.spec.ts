import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { expectOnlyLostRequests, test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, PASSWORD, post, signInAsNewUser } from "./test-users.ts";

// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const DIALOG = '[role="dialog"]';
const SOLD_OUT = "The tool was sold out when the payment arrived.";

/** The success panel closes by itself after two seconds, which is too soon to look at it. */
async function keepSuccessPanel(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const patient = (handler: TimerHandler, ms?: number, ...values: unknown[]) =>
      setTimeout(handler, ms === 2_000 ? 120_000 : ms, ...values);
    Object.assign(window, { setTimeout: patient });
  });
}

async function closeDialog(shop: ShopPage): Promise<void> {
  await shop.page.keyboard.press("Escape");
  await shop.purchase.expectGone();
}

test("the public pages and the sign-in are accessible to a visitor", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser((await openOtherBrowser()).page);

  await test.step("the home page and the public pages of a visitor are accessible", async () => {
    await shop.open("/");
    await expectAccessible(page, "home");
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.fill("qqqqqq");
    await expect(page.getByRole("button", { name: "Show all tools" })).toBeVisible();
    await expectAccessible(page, "home nothing found", "main");
    await search.fill("");
    await expect(shop.cards).toHaveCount(12);
  });

  await test.step("the four views of the sign-in dialog are accessible", async () => {
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
    await expect(
      shop.signIn.root.getByText("This shop can’t send email. Please contact support."),
    ).toBeVisible();
    await expectAccessible(page, "sign-in reset", DIALOG);
    await shop.signIn.button("Back").click();
    await shop.signIn.button("Continue with Google").click();
    await expect(shop.signIn.root.getByText(/not enabled/)).toBeVisible();
    await expectAccessible(page, "sign-in with Google", DIALOG);
    await page.keyboard.press("Escape");
    await expect(shop.signIn.root).toHaveCount(0);
    await shop.choose("QuillBot");
    await expect(shop.purchase.option("90 Days")).toBeVisible();
    await shop.signIn.signInInSheet({ email: "nobody@example.com", password: "x" });
    await expect(shop.signIn.root.getByText(/^No account found/)).toBeVisible();
    await expectAccessible(page, "sign-in for a tool", DIALOG);
    await page.keyboard.press("Escape");
    await expect(shop.signIn.root).toHaveCount(0);
  });

  await test.step("the shop page and the texts of the owner are accessible", async () => {
    await page.getByRole("link", { name: /of ChatGPT Pro$/ }).click();
    await expect(page.getByRole("heading", { level: 1, name: "ChatGPT Pro" })).toBeVisible();
    await expectAccessible(page, "shop page");
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await expect(page).toHaveURL(/\/terms$/);
    await expectAccessible(page, "terms");
  });

  await test.step("the small pages are accessible", async () => {
    await page.goto("/reset-password?token=none");
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
});

test("the purchase dialog is accessible in all states", async ({ shop, page, browserErrors }) => {
  await keepSuccessPanel(page);
  const releaseOffer = await holdRequests(page, "**/checkout/offer?*");
  const releaseConfirm = await holdRequests(page, "**/checkout/confirm");
  await signInAsNewUser(page);
  await shop.open("/");

  await test.step("while it waits for the shop, and when the payment has arrived", async () => {
    await shop.openPurchase("QuillBot");
    await expectAccessible(page, "purchase loading", DIALOG);
    releaseOffer();
    await shop.purchase.option("7 Days").check();
    await shop.purchase.openGateway("₹39");
    await expectAccessible(page, "gateway");
    await shop.purchase.gatewayButton("Pay").click();
    await expect(shop.purchase.root.getByText(/^Confirming payment/)).toBeVisible();
    await expectAccessible(page, "purchase confirming", DIALOG);
    releaseConfirm();
    await expect(shop.purchase.success).toBeVisible();
    await expectAccessible(page, "purchase success", DIALOG);
    await closeDialog(shop);
    await shop.purchase.expectToolPage("quillbot");
    await shop.open("/");
  });

  await test.step("when the payment was declined", async () => {
    await shop.openPurchase("ChatGPT Pro");
    await expect(shop.purchase.options).toHaveCount(3);
    await expectAccessible(page, "purchase");
    await shop.purchase.option("7 Days").check();
    await shop.purchase.openGateway("₹149");
    await shop.purchase.gatewayButton("Fail").click();
    await shop.purchase.gatewayButton("Close").click();
    await expect(shop.purchase.notice("Payment failed. Please try again.")).toBeVisible();
    await expectAccessible(page, "purchase declined", DIALOG);
    await closeDialog(shop);
  });

  await test.step("when the tool was bought meanwhile", async () => {
    await shop.openPurchase("ChatGPT Pro");
    await expect(shop.purchase.options).toHaveCount(3);
    await buyPass(page, "chatgpt", "30 Days");
    await shop.purchase.pay("₹149").click();
    await expect(shop.purchase.root.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
    await expectAccessible(page, "purchase owned", DIALOG);
    await closeDialog(shop);
  });

  await test.step("of a tool that is sold in the chat", async () => {
    await shop.openPurchase("Stealth Writer");
    await expect(shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" })).toBeVisible();
    await expectAccessible(page, "purchase contact", DIALOG);
    await closeDialog(shop);
  });

  await test.step("of a tool that is missing, and of a shop out of reach", async () => {
    await page.evaluate(() =>
      window.dispatchEvent(
        new CustomEvent("openPaymentModal", { detail: { name: "No such tool", price: 1 } }),
      ),
    );
    await expect(shop.purchase.root.getByRole("heading", { name: "Tool not found" })).toBeVisible();
    await expectAccessible(page, "purchase missing", DIALOG);
    await closeDialog(shop);
    await page.route("**/checkout/offer?*", (route) => route.abort());
    await shop.openPurchase("Canva");
    await expect(
      shop.purchase.root.getByRole("heading", {
        name: "Network error. Please check your internet connection.",
      }),
    ).toBeVisible();
    await expectAccessible(page, "purchase unreachable", DIALOG);
    expectOnlyLostRequests(browserErrors);
  });
});

/** Pays for a tool; the shop's answer to the confirmation is `answer`. */
async function payWithAnswer(
  shop: ShopPage,
  { tool, option, price }: { tool: string; option: string; price: string },
  answer: object,
): Promise<void> {
  const json = { ok: true, ...answer };
  await shop.page.route("**/checkout/confirm", (route) => route.fulfill({ json }));
  await shop.openPurchase(tool);
  await shop.purchase.option(option).check();
  await shop.purchase.openGateway(price);
  await shop.purchase.gatewayButton("Pay").click();
}

/** Lets the time of the page pass until the dialog has stopped polling. */
async function waitForLateOutcome(shop: ShopPage, title: string): Promise<void> {
  await expect(async () => {
    await shop.page.clock.fastForward(10_000);
    await expect(shop.purchase.root.getByRole("heading", { name: title })).toBeVisible({ timeout: 200 });
  }).toPass({ intervals: [100] });
}

test("the outcomes of a payment without a pass are accessible", async ({ shop, page, browserErrors }) => {
  await signInAsNewUser(page);
  await shop.open("/");

  await test.step("of a payment that became no pass", async () => {
    const outcomes = [
      ["HIX AI Assistant", "₹69", { state: "refunded", reason: SOLD_OUT }, "Your payment is being refunded"],
      ["Canva", "₹49", { state: "not-taken", reason: SOLD_OUT }, "We didn’t take your payment"],
      ["AI Humanizer", "₹99", { state: "cancelled" }, "The shop has cancelled this purchase"],
    ] as const;
    for (const [tool, price, answer, title] of outcomes) {
      await payWithAnswer(shop, { tool, option: "7 Days", price }, answer);
      await expect(shop.purchase.root.getByRole("heading", { name: title })).toBeVisible();
      await expectAccessible(page, `purchase ${answer.state}`, DIALOG);
      await closeDialog(shop);
    }
  });

  await test.step("of a payment that nobody confirms", async () => {
    await page.clock.install();
    await page.route("**/checkout/status?*", (route) =>
      route.fulfill({ json: { ok: true, state: "confirming" } }),
    );
    const quillbot = { tool: "QuillBot", option: "7 Days", price: "₹39" };
    await payWithAnswer(shop, quillbot, { state: "confirming" });
    await waitForLateOutcome(shop, "Your bank hasn’t answered yet");
    await expectAccessible(page, "purchase late", DIALOG);
    await closeDialog(shop);

    await page.route("**/checkout/status?*", (route) => route.abort());
    const prime = { tool: "Amazon Prime", option: "30 Days", price: "₹89" };
    await payWithAnswer(shop, prime, { state: "confirming" });
    await waitForLateOutcome(shop, "We can’t reach the shop");
    await expectAccessible(page, "purchase late unreachable", DIALOG);
    expectOnlyLostRequests(browserErrors);
  });
});

test("the dashboard, the account and the tool pages of a buyer are accessible", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser(page);

  await test.step("of a user who has bought nothing", async () => {
    await shop.open("/account");
    await expectAccessible(page, "account empty");
    await page.getByRole("link", { name: "Dashboard", exact: true }).click();
    await expect(shop.heading("No Tools Available")).toBeVisible();
    await expectAccessible(page, "dashboard empty");
    await shop.open("/tools/chatgpt");
    await expect(shop.heading("Access Required")).toBeVisible();
    await expectAccessible(page, "access required");
  });

  await buyPass(page, "chatgpt", "30 Days");
  await buyPass(page, "canva", "7 Days");
  await test.step("the dashboard and the tool pages are accessible", async () => {
    await shop.open("/dashboard");
    await expect(shop.pass("ChatGPT Pro")).toBeVisible();
    await expectAccessible(page, "dashboard");
    await shop.pass("ChatGPT Pro").getByRole("link", { name: "Open ChatGPT Pro" }).click();
    await expect(shop.server("Server 3")).toBeVisible();
    await expectAccessible(page, "tool page");
  });

  await test.step("the account page and a receipt are accessible", async () => {
    await post((await openOtherBrowser()).page, "/api/auth/sign-in/email", { email, password: PASSWORD });
    await page.goBack();
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await expect(page.getByRole("list", { name: "Browsers" }).getByRole("listitem")).toHaveCount(2);
    await page.getByLabel("Your name").fill("  ");
    await page.getByRole("button", { name: "Save Name" }).click();
    await expect(page.getByText("Please enter your name.")).toBeVisible();
    await expectAccessible(page, "account name missing", "form:has(#display-name)");
    await page.getByLabel("Current password").fill("wrong-password-1");
    await page.getByLabel("New password").fill("the-sea-is-calm-today-4");
    await page.getByRole("button", { name: "Change Password" }).click();
    await expect(page.getByText("Incorrect password. Please try again.")).toBeVisible();
    await expectAccessible(page, "account");
    await page.getByRole("link", { name: "Receipt for Canva" }).click();
    await expect(shop.heading("Receipt")).toBeVisible();
    await expectAccessible(page, "receipt");
  });
});
