import { expect } from "@playwright/test";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { expectBanner, openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, newEmail, PASSWORD, post, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true });

const NEW_PASSWORD = "the-sea-is-calm-today-4";

test("the browsers of an account are listed, and signed out one by one, together, or by a changed password", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser(page);
  const phone = await openOtherBrowser({
    userAgent:
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
  });
  const tablet = await openOtherBrowser({
    userAgent:
      "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/604.1",
  });
  const signIn = (other: ShopPage, password: string) =>
    post(other.page, "/api/auth/sign-in/email", { email, password });
  for (const other of [phone, tablet]) {
    expect((await signIn(other, PASSWORD)).ok()).toBe(true);
    await other.open("/");
    await expect(other.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  }
  await shop.open("/account");

  await test.step("the browsers of an account are listed, and signed out one by one or together", async () => {
    const browsers = page.getByRole("list", { name: "Browsers" }).getByRole("listitem");
    await expect(browsers).toHaveCount(3);
    await expect(browsers.first()).toContainText("This browser");
    await page.getByRole("button", { name: "Sign Out Chrome on Android" }).click();
    await expect(browsers).toHaveCount(2);
    // The page was open all the time.
    await expect(phone.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expect(tablet.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await page.getByRole("button", { name: "Sign Out All Other Browsers" }).click();
    await expect(page.getByText("All other browsers have been signed out.")).toBeVisible();
    await expect(browsers).toHaveCount(1);
    await expect(tablet.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expect(shop.heading("Account")).toBeVisible();
  });

  await test.step("a changed password signs the open pages of other browsers out at once", async () => {
    expect((await signIn(tablet, PASSWORD)).ok()).toBe(true);
    await tablet.open("/dashboard");
    await expect(tablet.heading("No Tools Available")).toBeVisible();
    const change = async (current: string, next: string) => {
      await page.getByLabel("Current password").fill(current);
      await page.getByLabel("New password").fill(next);
      await page.getByRole("button", { name: "Change Password" }).click();
    };
    await change("wrong-password-1", NEW_PASSWORD);
    await expect(page.getByText("Incorrect password. Please try again.")).toBeVisible();
    await expect(page.getByLabel("Current password")).toBeFocused();
    await change(PASSWORD, "five5");
    await expect(page.getByText("Password should be at least 6 characters.")).toBeVisible();
    await expect(page.getByLabel("New password")).toBeFocused();
    await change(PASSWORD, "123456789");
    await expect(page.getByText(/password is too common/)).toBeVisible();
    await expect(tablet.heading("No Tools Available")).toBeVisible();
    await change(PASSWORD, NEW_PASSWORD);
    await expect(page.getByText(/^Your password has been changed\./)).toBeVisible();
    await expect(page.getByLabel("Current password")).toHaveValue("");

    await expect(tablet.cards).toHaveCount(12);
    await expect(tablet.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    const told = tablet.page.getByText("You’ve been signed out. Please sign in to see your passes.");
    await expect(told).toBeVisible();
    await takeScreenshot(tablet.page, "home after a sign-out elsewhere");
    await tablet.reload();
    await expect(told).toHaveCount(0);
    expect((await signIn(tablet, PASSWORD)).status()).toBe(401);
    expect((await signIn(tablet, NEW_PASSWORD)).ok()).toBe(true);
  });
});

test("a disabled account is signed out in every open page at once, and each says why", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser(page);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();
  const second = await openOtherBrowser();
  await post(second.page, "/api/auth/sign-in/email", { email, password: PASSWORD });
  await second.open("/shop/canva");
  const owner = await openOtherBrowser();
  await openAsAdmin(owner, `/admin?q=${encodeURIComponent(email)}`);
  await owner.page.getByRole("row").filter({ hasText: email }).getByRole("switch").click();
  await expectBanner(owner.page, "User deactivated and signed out everywhere.", () =>
    owner.page.getByRole("button", { name: "Deactivate User" }).click(),
  );

  const disabled = "This account has been disabled. Please contact support.";
  await expect(shop.cards).toHaveCount(12);
  for (const other of [shop, second]) {
    await expect(other.page.getByRole("alert").getByText(disabled)).toBeVisible();
    await expect(other.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  }
  await expectAccessible(page, "home of a disabled account", "[role=alert]");
  await shop.reload();
  await expect(page.getByRole("alert").getByText(disabled)).toBeVisible();
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Sign In").click();
  await expect(shop.signIn.root.getByText(disabled)).toBeVisible();
  // Another account is nobody's fault.
  await signInAsNewUser(page);
  await shop.open("/");
  await expect(page.getByText(disabled)).toHaveCount(0);
});

test("an account's name is changed on its page, and its orders are listed, each with a receipt that prints", async ({
  shop,
  page,
  context,
  openOtherBrowser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { email } = await signInAsNewUser(page);

  await test.step("an account's name is changed on its page, which the dashboard links to", async () => {
    await shop.open("/dashboard");
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await expect(shop.heading("Account")).toBeVisible();
    const name = page.getByLabel("Your name");
    await name.fill("   ");
    await page.getByRole("button", { name: "Save Name" }).click();
    await expect(page.getByText("Please enter your name.")).toBeVisible();
    await name.fill("Asha  Rao");
    await page.getByRole("button", { name: "Save Name" }).click();
    await expect(page.getByText("Your name has been saved.")).toBeVisible();
    await expect(page.getByRole("banner").getByText("Asha Rao")).toBeVisible();
    await expect(name).toHaveValue("Asha Rao");
    await expect(page.getByText(email)).toBeVisible();
    await expect(shop.heading("No orders yet")).toBeVisible();
  });

  await buyPass(page, "canva", "7 Days");
  // Ten older ones, which were never paid.
  await query(
    `insert into user_purchases (id, user_id, user_email, tool_name, validity, list_price_paise, amount, status, source, created_at)
     select gen_random_uuid(), users.id, users.email, 'Old tool ' || n, 30, 9900, 9900, 'failed', 'checkout',
       now() - make_interval(days => n) from users, generate_series(1, 10) as n where users.email = $1`,
    [email],
  );
  await shop.reload();
  const orders = page.getByRole("list", { name: "Orders" }).getByRole("listitem");
  await expect(orders).toHaveCount(10);
  await expect(orders.first()).toContainText("Canva");
  await expect(orders.first()).toContainText("Active");
  await expect(orders.nth(1)).toContainText("Not paid");
  await page.getByRole("link", { name: "Older orders" }).click();
  await expect(orders).toHaveCount(1);
  await expect(orders).toContainText("Old tool 10");
  await page.getByRole("link", { name: "Newer orders" }).click();
  await expect(orders).toHaveCount(10);

  // Two payment windows that were closed before the pass was bought.
  await query(
    `insert into user_purchases (id, user_id, user_email, tool_name, validity, list_price_paise, amount, status, source, created_at)
     select gen_random_uuid(), users.id, users.email, 'Canva', 7, 4900, 4900, 'failed', 'checkout',
       now() - make_interval(hours => n) from users, generate_series(1, 2) as n where users.email = $1`,
    [email],
  );
  await shop.reload();
  const attempts = orders.first().getByRole("listitem");
  await expect(attempts.first()).toBeHidden();
  await page.getByText("2 earlier attempts, not paid").click();
  await expect(attempts).toHaveCount(2);
  await expect(attempts.first()).toContainText("Not paid");
  await page.getByText("2 earlier attempts, not paid").click();

  await page.getByRole("button", { name: "Copy the order number of Canva" }).click();
  await expect(page.getByRole("button", { name: "Copied! the order number of Canva" })).toBeVisible();
  const orderNumber = await page.evaluate(() => navigator.clipboard.readText());
  expect(orderNumber).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
  await page.getByRole("link", { name: "Receipt for Canva" }).click();
  await expect(page).toHaveURL(/\/account\/orders\/[0-9a-f-]{36}$/);
  const { pathname } = new URL(page.url());
  await expect(shop.heading("Receipt")).toBeVisible();
  const receipt = page.getByRole("main");
  for (const text of [orderNumber, email, "7 days of access", "₹49", "UPI (test payment)", /pay_/])
    await expect(receipt.getByText(text).first()).toBeVisible();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const hidden of [page.getByRole("banner"), page.getByRole("button", { name: "Print" })])
    await expect(hidden).toBeHidden();
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await page.emulateMedia({ media: "screen" });

  const stranger = await openOtherBrowser();
  await signInAsNewUser(stranger.page);
  const refused = await stranger.page.goto(pathname);
  expect(refused?.status()).toBe(404);
  await expect(stranger.heading("There is nothing here")).toBeVisible();
  await expect(stranger.page.getByText(email)).toHaveCount(0);

  await shop.open("/dashboard");
  await shop.pass("Canva").getByRole("link", { name: "Receipt for Canva" }).click();
  await expect(shop.heading("Receipt")).toBeVisible();
});

test("the account page works without scripts, and the back button does not show it after a sign-out", async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  const page = await context.newPage();
  for (const path of ["/account", "/account/orders/01980000-0000-7000-8000-000000000000"]) {
    const response = await page.request.get(path, { maxRedirects: 0 });
    expect(response.status(), "signed out, the account and its receipts redirect home").toBe(302);
    expect(response.headers().location).toBe("/");
  }
  const email = newEmail();
  await post(page, "/api/auth/sign-up/email", { email, password: PASSWORD });
  await page.goto("/account");
  await page.getByLabel("Your name").fill("Asha");
  await page.getByRole("button", { name: "Save Name" }).click();
  await expect(page.getByText("Your name has been saved.")).toBeVisible();
  await page.getByLabel("Current password").fill("wrong-password-1");
  await page.getByLabel("New password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Change Password" }).click();
  await expect(page.getByText("Incorrect password. Please try again.")).toBeVisible();

  for (const path of ["/dashboard", "/account"]) {
    await page.goto(path);
    await page.getByRole("button", { name: "Sign Out" }).click();
    await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
    await page.goBack();
    await expect(page, "the back button does not show the page again").toHaveURL(/\/$/);
    await expect(page.getByText(email)).toHaveCount(0);
    await post(page, "/api/auth/sign-in/email", { email, password: PASSWORD });
  }
  await context.close();
});
