import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { expectOnlyLostRequests } from "./fixtures.ts";
import { newPerson, test } from "./google-shop.ts";
import { holdRequests } from "./hold-requests.ts";
import type { ShopPage } from "./shop-page.ts";

const DIALOG = '[role="dialog"]';
type Status = "pending" | "success" | "warning" | "error";

/** Fails to sign in and opens the troubleshooter from there. */
async function openTroubleshooter(shop: ShopPage): Promise<Locator> {
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  const link = shop.signIn.button("Trouble signing in?");
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.fill({ email: "nobody@example.com", password: "not-that-one" });
  await expect(link).toHaveCount(0);
  await shop.signIn.button("Sign In").click();
  await link.click();
  const dialog = shop.page.getByRole("dialog", { name: "Trouble signing in?" });
  await expect(dialog).toBeVisible();
  return dialog;
}

const run = (dialog: Locator) => dialog.getByRole("button", { name: "Run Diagnostics" }).click();

async function expectFinding(dialog: Locator, name: string, status: Status, text: string | RegExp) {
  const item = dialog.getByRole("listitem").filter({ has: dialog.page().getByText(name, { exact: true }) });
  await expect(item).toHaveAttribute("data-status", status);
  await expect(item).toContainText(text);
}

async function openPopup(dialog: Locator): Promise<Page> {
  const opened = dialog.page().waitForEvent("popup");
  await dialog.getByRole("button", { name: "Test Google Sign-In" }).click();
  return opened;
}

test("where nothing is wrong every check succeeds, and Escape leads back to the sign-in", async ({
  shop,
  page,
  browserErrors,
}) => {
  const dialog = await openTroubleshooter(shop);
  await expectAccessible(page, "troubleshooter", DIALOG);

  const release = await holdRequests(page, "**/auth/diagnostics");
  await run(dialog);
  await expect(dialog.getByRole("status")).toHaveText("Checking…");
  await expectAccessible(page, "troubleshooter running", DIALOG);
  release();
  // It has waited too long for an answer, where the check of the screen was slow.
  await expect(dialog.getByRole("status")).not.toHaveText("Checking…");

  const heads: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "HEAD") heads.push(new URL(request.url()).pathname);
  });
  await run(dialog);
  await expect(dialog.getByText("Everything looks fine.")).toBeVisible();
  await expect.poll(() => page.context().pages()).toHaveLength(1);
  expect(await dialog.getByRole("listitem").count()).toBe(7);
  for (const item of await dialog.getByRole("listitem").all()) {
    await expect(item).toHaveAttribute("data-status", "success");
  }
  expect(heads).toEqual(["/auth"]);
  expect((await page.context().cookies()).map(({ name }) => name)).toEqual([]);
  await expectAccessible(page, "troubleshooter success", DIALOG);

  await test.step("without a connection the checks say so", async () => {
    await page.context().setOffline(true);
    await run(dialog);
    await expectFinding(dialog, "Connection to the shop", "error", "auth/network-request-failed");
    await expectFinding(
      dialog,
      "Sign-in cookie",
      "warning",
      "Not checked, because the shop can’t be reached.",
    );
    await dialog.getByRole("button", { name: "Test Google Sign-In" }).click();
    await expectFinding(dialog, "Google sign-in", "error", "Check your internet connection.");
    await page.context().setOffline(false);
    expectOnlyLostRequests(browserErrors);
  });

  await page.keyboard.press("Escape");
  await shop.signIn.expectView("Sign in");
  await expect(shop.signIn.email).toHaveValue("nobody@example.com");
  await page.goBack();
  await shop.signIn.expectView("Welcome");
});

test("each cause is found: blocked cookies, a wrong clock, a blocked window, and Google that cannot be reached", async ({
  shop,
  page,
  googleShop,
  browserErrors,
}) => {
  await page.addInitScript(() => {
    const { open } = window;
    window.open = (...args) => (args[0] === "about:blank" ? null : open(...args));
    const { now } = Date;
    Date.now = () => now() + 3 * 60 * 60_000;
  });
  await page.route(`${googleShop.google.issuer}/**`, (route) => route.abort());
  const dialog = await openTroubleshooter(shop);
  const browser = await page.context().newCDPSession(page);
  await browser.send("Emulation.setDocumentCookieDisabled", { disabled: true });
  // The browser drops the cookie of the shop.
  await page.route("**/auth/diagnostics", async (route) => {
    const response = await route.fetch();
    const { "set-cookie": _, ...headers } = response.headers();
    await page.context().clearCookies();
    await route.fulfill({ response, headers });
  });
  await run(dialog);
  await expect(dialog.getByText("4 problems found.")).toBeVisible();
  await expectFinding(dialog, "Connection to the shop", "success", "The shop is responding.");
  await expectFinding(dialog, "Web address", "success", "the shop’s own web address");
  await expectFinding(dialog, "Cookies", "error", "Allow cookies for this site");
  await expectFinding(dialog, "Sign-in cookie", "error", "doesn’t keep the shop’s sign-in cookie");
  await expectFinding(dialog, "Date and time", "error", "This device’s clock is 3 hours fast.");
  await expectFinding(dialog, "Pop-ups", "warning", "allow pop-ups");
  await expectFinding(dialog, "Google", "error", "auth/network-request-failed");
  await expectAccessible(page, "troubleshooter problems", DIALOG);
  expectOnlyLostRequests(browserErrors);
});

test("the test of Google says when its window was closed or blocked, and signs in", async ({
  shop,
  page,
  googleShop,
}) => {
  const email = newPerson(googleShop.google);
  const dialog = await openTroubleshooter(shop);
  const closed = await openPopup(dialog);
  await expectFinding(dialog, "Google sign-in", "pending", "Complete your sign-in in the Google window.");
  await closed.close();
  await expectFinding(dialog, "Google sign-in", "warning", "auth/popup-closed-by-user");
  await (await openPopup(dialog)).getByRole("link", { name: "Cancel" }).click();
  await expectFinding(dialog, "Google sign-in", "warning", "leave the window open");

  await page.evaluate(() => {
    const { open } = window;
    window.open = () => {
      window.open = open;
      return null;
    };
  });
  await dialog.getByRole("button", { name: "Test Google Sign-In" }).click();
  await expectFinding(dialog, "Google sign-in", "error", "This browser blocked the Google window.");

  await (await openPopup(dialog)).getByRole("link", { name: email }).click();
  await expectFinding(dialog, "Google sign-in", "success", "It works. You’re signed in.");
  await run(dialog);
  await expectFinding(dialog, "Sign-in cookie", "success", "You’re signed in.");
  await page.keyboard.press("Escape");
  await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the sign-in page leads to the troubleshooter after a refusal only, and another site cannot use its endpoint", async ({
  shop,
  page,
  googleShop,
}) => {
  await shop.open("/sign-in");
  const link = page.getByRole("button", { name: "Trouble signing in?" });
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByLabel("Password").fill("not-that-one");
  await expect(link).toHaveCount(0);
  await page.getByRole("button", { name: "Sign In" }).click();
  await link.click();
  const dialog = page.getByRole("dialog", { name: "Trouble signing in?" });
  await run(dialog);
  await expect(dialog.getByText("Everything looks fine.")).toBeVisible();

  const refused = await page.request.post("/auth/diagnostics", {
    data: { probe: "0".repeat(32) },
    headers: { origin: "https://evil.example" },
  });
  expect(refused.status()).toBe(403);
  expect(refused.headers()["set-cookie"]).toBeUndefined();
  const policy = (await page.request.get("/")).headers()["content-security-policy"] ?? "";
  expect(/connect-src ([^;]*)/.exec(policy)?.[1]).toBe(`'self' ${googleShop.google.issuer}`);
});
