import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { expectOnlyLostRequests, test } from "./fixtures.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

const LOST = "Network error. Please check your internet connection.";

const sheet = (page: Page) => page.getByRole("dialog", { name: LOST });

test("each way to sign in or out says that there is no connection, keeps the input, and works when it returns", async ({
  shop,
  page,
  browserErrors,
}) => {
  const email = newEmail();
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).tap();
  await shop.signIn.expectView("Welcome");
  await test.step("Continue with Google that is not configured says so at once, also without a connection", async () => {
    await page.context().setOffline(true);
    await shop.signIn.button("Continue with Google").tap();
    const message = "This sign-in method is not enabled. Please contact support.";
    await expect(shop.signIn.root.getByText(message)).toBeVisible();
    expectOnlyLostRequests(browserErrors);
    await page.context().setOffline(false);
  });
  await test.step("Create Account without a connection shows the error, keeps the input, and works when the connection returns", async () => {
    await shop.signIn.button("Create an Account").tap();
    await shop.signIn.fill({ email, password: PASSWORD });
    await page.context().setOffline(true);
    await shop.signIn.button("Create Account").tap();
    await expect(shop.signIn.root.getByText(LOST, { exact: true })).toBeVisible();
    await expect(shop.signIn.root.getByText("What you typed is kept.", { exact: true })).toBeVisible();
    await expect(shop.signIn.email).toHaveValue(email);
    await expect(shop.signIn.password).toHaveValue(PASSWORD);

    await page.context().setOffline(false);
    await shop.signIn.button("Create Account").tap();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    expectOnlyLostRequests(browserErrors);
  });
  await test.step("Logout without a connection keeps the page, and signs out when the connection returns", async () => {
    await page.context().setOffline(true);
    await shop.accountNav.getByRole("button", { name: "Logout" }).tap();
    await expect(sheet(page)).toBeVisible();
    await page.context().setOffline(false);
    await sheet(page).getByRole("button", { name: "Try again" }).tap();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expect(sheet(page)).toHaveCount(0);
    expectOnlyLostRequests(browserErrors);
  });
  await test.step("Sign In without a connection shows the error, keeps the input, and works when the connection returns", async () => {
    await shop.accountNav.getByRole("button", { name: "Get Started" }).tap();
    await shop.signIn.expectView("Welcome");
    await shop.signIn.button("Sign in with Email").tap();
    await shop.signIn.fill({ email, password: PASSWORD });
    await page.context().setOffline(true);
    await shop.signIn.button("Sign In").tap();
    await expect(shop.signIn.root.getByText(LOST, { exact: true })).toBeVisible();
    await expect(shop.signIn.root.getByText("What you typed is kept.", { exact: true })).toBeVisible();
    await expect(shop.signIn.email).toHaveValue(email);
    await expect(shop.signIn.password).toHaveValue(PASSWORD);

    await page.context().setOffline(false);
    await shop.signIn.button("Sign In").tap();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    expectOnlyLostRequests(browserErrors);
  });
});

test("a link without a connection keeps the page and its input, and an open dashboard stays as it is", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);
  await shop.open("/");
  await test.step("a link without a connection keeps the page and its input, and opens when the connection returns", async () => {
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.fill("canva");
    const dashboard = shop.accountNav.getByRole("link", { name: "Dashboard" });
    await page.context().setOffline(true);
    await dashboard.tap();
    await expect(sheet(page)).toBeVisible();
    await expect(sheet(page).getByText("Nothing on this page is lost.")).toBeVisible();
    await expectAccessible(page, "no connection", "dialog");
    await sheet(page).getByRole("button", { name: "Try again" }).tap();
    await expect(sheet(page).getByRole("button", { name: "Try again" })).not.toHaveAttribute("aria-busy");
    await sheet(page).getByRole("button", { name: "Close" }).tap();
    await expect(sheet(page)).toHaveCount(0);
    await expect(search).toHaveValue("canva");
    await expect(shop.cards).toHaveCount(1);
    await expect(page).toHaveURL(/\/\?q=canva$/);

    await dashboard.tap();
    // On a busy machine the request of the tap would otherwise find the connection again.
    await expect(sheet(page)).toBeVisible();
    await page.context().setOffline(false);
    await sheet(page).getByRole("button", { name: "Try again" }).tap();
    await expect(shop.heading("My Tools")).toBeVisible();
    await expect(sheet(page)).toHaveCount(0);
  });
  await test.step("an open dashboard that cannot be reloaded stays as it is", async () => {
    await page.context().setOffline(true);
    const lost = page.waitForEvent("requestfailed");
    // The event that a browser fires when the tab becomes visible again.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await lost;
    await expect(page.locator("html")).not.toHaveAttribute("data-waiting");
    await expect(shop.heading("My Tools")).toBeVisible();
    await page.context().setOffline(false);
    const again = page.waitForResponse("**/dashboard.data");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    expect((await again).ok()).toBe(true);
    await expect(shop.heading("My Tools")).toBeVisible();
    expectOnlyLostRequests(browserErrors);
  });
  await test.step("the way back leads to the page with its input", async () => {
    await page.goBack();
    await expect(page).toHaveURL(/\/\?q=canva$/);
    await expect(shop.cards).toHaveCount(1);
    expectOnlyLostRequests(browserErrors);
  });
});

test("a link whose JavaScript or data do not load keeps the page, opens as a new document, or says so", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);
  await test.step("a link whose JavaScript does not load keeps the page, and opens once it loads", async () => {
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
    expectOnlyLostRequests(browserErrors);
    await page.unrouteAll();
  });
  await test.step("a link whose JavaScript was replaced by a newer version of the shop opens as a new document", async () => {
    const code = "**/assets/dashboard-*.js";
    await page.route(code, (route) => route.fulfill({ status: 404 }));
    await shop.open("/");
    await page.evaluate(() => document.documentElement.setAttribute("data-first-document", ""));
    page.on("framenavigated", () => void page.unroute(code));
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
    await expect(shop.heading("My Tools")).toBeVisible();
    await expect(page.locator("html[data-first-document]")).toHaveCount(0);
    expect(browserErrors.filter((error) => !error.includes("404"))).toEqual([]);
    browserErrors.length = 0;
    await page.unrouteAll();
  });
  await test.step("a page whose data cannot be parsed shows the error page", async () => {
    await shop.open("/");
    await page.route("**/dashboard.data*", (route) =>
      route.fulfill({ contentType: "text/x-script", body: "this is no data" }),
    );
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
    await expect(shop.heading("This page did not load")).toBeVisible();
    await expect(sheet(page)).toHaveCount(0);
    await expectAccessible(page, "error page");
    browserErrors.length = 0;
  });
});
