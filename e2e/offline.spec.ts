import { expect, type Page } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser, newEmail, PASSWORD } from "./people.ts";
import type { ShopPage } from "./shop-page.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

const LOST = "Network error. Please check your internet connection.";

/** The browser reports every request that the missing connection, or a test, has cut off. Nothing else may go wrong. */
function expectOnlyLostRequests(faults: string[]): void {
  expect(faults.filter((fault) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED/.test(fault))).toEqual([]);
  faults.length = 0;
}

async function openDialog(shop: ShopPage): Promise<void> {
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).tap();
  await shop.signIn.expectView("Welcome");
}

const sheet = (page: Page) => page.getByRole("dialog", { name: LOST });

test("Sign In without a connection says so and keeps what was typed, and works once it is back", async ({
  shop,
  page,
  newcomer,
  faults,
}) => {
  const { email } = await becomeUser((await newcomer()).page);
  await openDialog(shop);
  await shop.signIn.button("Sign in with Email").tap();
  await shop.signIn.fill({ email, password: PASSWORD });
  await page.context().setOffline(true);
  await shop.signIn.button("Sign In").tap();
  await expect(shop.signIn.root.getByText(LOST)).toBeVisible();
  await expect(shop.signIn.email).toHaveValue(email);
  await expect(shop.signIn.password).toHaveValue(PASSWORD);

  await page.context().setOffline(false);
  await shop.signIn.button("Sign In").tap();
  await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  expectOnlyLostRequests(faults);
});

test("Create Account without a connection says so and keeps what was typed, and works once it is back", async ({
  shop,
  page,
  faults,
}) => {
  const email = newEmail();
  await openDialog(shop);
  await shop.signIn.button("Create an Account").tap();
  await shop.signIn.fill({ email, password: PASSWORD });
  await page.context().setOffline(true);
  await shop.signIn.button("Create Account").tap();
  await expect(shop.signIn.root.getByText(LOST)).toBeVisible();
  await expect(shop.signIn.email).toHaveValue(email);
  await expect(shop.signIn.password).toHaveValue(PASSWORD);

  await page.context().setOffline(false);
  await shop.signIn.button("Create Account").tap();
  await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  expectOnlyLostRequests(faults);
});

test("Continue with Google without a connection says so, and is answered once it is back", async ({
  shop,
  page,
  faults,
}) => {
  await openDialog(shop);
  await page.context().setOffline(true);
  await shop.signIn.button("Continue with Google").tap();
  await expect(shop.signIn.root.getByText(LOST)).toBeVisible();

  await page.context().setOffline(false);
  await shop.signIn.button("Continue with Google").tap();
  await expect(
    shop.signIn.root.getByText("This sign-in method is not enabled.", { exact: false }),
  ).toBeVisible();
  expectOnlyLostRequests(faults);
});

test("a link without a connection keeps the page and what was typed, and opens once it is back", async ({
  shop,
  page,
  faults,
}) => {
  await becomeUser(page);
  await shop.open("/");
  const search = page.getByRole("searchbox", { name: "Search tools" });
  await search.fill("canva");
  const dashboard = shop.accountNav.getByRole("link", { name: "Dashboard" });
  await page.context().setOffline(true);
  await dashboard.tap();
  await expect(sheet(page)).toBeVisible();
  await sheet(page).getByRole("button", { name: "Try again" }).tap();
  await expect(sheet(page).getByRole("button", { name: "Try again" })).not.toHaveAttribute("aria-busy");
  await sheet(page).getByRole("button", { name: "Close" }).tap();
  await expect(sheet(page)).toHaveCount(0);
  await expect(search).toHaveValue("canva");
  await expect(shop.cards).toHaveCount(1);
  await expect(page).toHaveURL(/\/$/);

  await dashboard.tap();
  await page.context().setOffline(false);
  await sheet(page).getByRole("button", { name: "Try again" }).tap();
  await expect(shop.heading("My Tools")).toBeVisible();
  await expect(sheet(page)).toHaveCount(0);
  await page.goBack();
  await expect(shop.cards).toHaveCount(12);
  expectOnlyLostRequests(faults);
});

test("a link whose code does not come keeps the page, and opens once it comes", async ({
  shop,
  page,
  faults,
}) => {
  await becomeUser(page);
  const code = "**/assets/dashboard-*.js";
  await page.route(code, (route) => route.abort());
  await page.route("**/healthz", (route) => route.abort());
  await shop.open("/");
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await expect(sheet(page)).toBeVisible();
  await expect(shop.cards).toHaveCount(12);
  await page.unroute(code);
  await sheet(page).getByRole("button", { name: "Try again" }).tap();
  await expect(shop.heading("My Tools")).toBeVisible();
  await expect(sheet(page)).toHaveCount(0);
  expectOnlyLostRequests(faults);
});

test("a link whose code was replaced by a newer version of the shop opens as a new document", async ({
  shop,
  page,
  faults,
}) => {
  await becomeUser(page);
  const code = "**/assets/dashboard-*.js";
  await page.route(code, (route) => route.fulfill({ status: 404 }));
  await shop.open("/");
  await page.evaluate(() => document.documentElement.setAttribute("data-first-document", ""));
  page.on("framenavigated", () => void page.unroute(code));
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await expect(shop.heading("My Tools")).toBeVisible();
  await expect(page.locator("html[data-first-document]")).toHaveCount(0);
  expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
  faults.length = 0;
});

test("a page whose data cannot be read leads to the error page", async ({ shop, page, faults }) => {
  await becomeUser(page);
  await shop.open("/");
  await page.route("**/dashboard.data*", (route) =>
    route.fulfill({ contentType: "text/x-script", body: "this is no data" }),
  );
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await expect(shop.heading("This page did not load")).toBeVisible();
  await expect(sheet(page)).toHaveCount(0);
  faults.length = 0;
});

test("Logout without a connection keeps the page, and signs out once it is back", async ({
  shop,
  page,
  faults,
}) => {
  await becomeUser(page);
  await shop.open("/");
  await page.context().setOffline(true);
  await shop.accountNav.getByRole("button", { name: "Logout" }).tap();
  await expect(sheet(page)).toBeVisible();
  await page.context().setOffline(false);
  await sheet(page).getByRole("button", { name: "Try again" }).tap();
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  await expect(sheet(page)).toHaveCount(0);
  expectOnlyLostRequests(faults);
});

test("an open dashboard that cannot be loaded again stays as it was", async ({ shop, page, faults }) => {
  await becomeUser(page);
  await shop.open("/dashboard");
  await page.context().setOffline(true);
  const lost = page.waitForEvent("requestfailed");
  // What the browser tells a page that its person comes back to.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await lost;
  await expect(page.locator("html")).not.toHaveAttribute("data-waiting");
  await expect(shop.heading("My Tools")).toBeVisible();
  await page.context().setOffline(false);
  const again = page.waitForResponse("**/dashboard.data");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  expect((await again).ok()).toBe(true);
  await expect(shop.heading("My Tools")).toBeVisible();
  expectOnlyLostRequests(faults);
});
