import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import type { ShopPage } from "./shop-page.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

declare global {
  interface Window {
    /** Where an entry of the history was pushed without a gesture since the entry before. */
    pushesWithoutGesture: string[];
  }
}

/**
 * Runs in the page before anything else. The back button of Chromium leaves out an entry that pushed another entry without a
 * gesture; Playwright's `goBack` does not, so it alone proves nothing.
 */
function watchPushes(): void {
  let hasGesture = false;
  window.pushesWithoutGesture = [];
  for (const type of ["pointerdown", "keydown"])
    addEventListener(type, ({ isTrusted }) => (hasGesture ||= isTrusted), { capture: true });
  addEventListener("popstate", () => (hasGesture = false), { capture: true });
  const { pushState } = History.prototype;
  History.prototype.pushState = function push(...args) {
    if (!hasGesture) window.pushesWithoutGesture.push(String(new Error(location.href).stack));
    hasGesture = false;
    pushState.apply(this, args);
  };
}

const pushesWithoutGesture = (page: Page) => page.evaluate(() => window.pushesWithoutGesture);

async function expectBackOnHome({ page }: ShopPage): Promise<void> {
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL("/");
  expect(await pushesWithoutGesture(page)).toEqual([]);
}

test.beforeEach(({ page }) => page.addInitScript(watchPushes));

test("the views of the sign-in dialog, signing up for a tool and paying for it push no entry without a gesture", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  await test.step("each view of the sign-in dialog adds an entry to the history by a gesture", async () => {
    for (const _time of [1, 2]) {
      await page.getByRole("button", { name: "Get Started" }).first().click();
      await shop.signIn.expectView("Welcome");
      await shop.signIn.button("Create an Account").click();
      await shop.signIn.expectView("Create account");
      await page.goBack();
      await shop.signIn.expectView("Welcome");
      await shop.signIn.button("Sign in with Email").click();
      await shop.signIn.expectView("Sign in");
      await shop.signIn.button("Back").click();
      await shop.signIn.expectView("Welcome");
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    }
    expect(await pushesWithoutGesture(page)).toEqual([]);
  });
  await test.step("signing up for a tool and paying for it add no entry to the history without a gesture", async () => {
    await shop.choose("Canva");
    await shop.signIn.choice("I have an account").check();
    await shop.signIn.button("Forgot password?").click();
    await shop.signIn.expectView("Reset password");
    await shop.signIn.button("Back").click();
    await shop.signIn.createAccount({ email: newEmail(), password: PASSWORD });
    await expect(shop.purchase.pay("₹49")).toBeVisible();
    await shop.purchase.openGateway("₹49");
    await shop.purchase.gatewayButton("Close").click();
    await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    await shop.purchase.openGateway("₹49");
    await page.goBack();
    await expect(shop.purchase.gatewayButton("Close")).toHaveCount(0);
    await expect(shop.purchase.pay("₹49")).toBeEnabled();
    await expectBackOnHome(shop);
  });
});

test("a press before hydration opens its dialog with an entry of its own, and back ends on the home page", async ({
  shop,
  page,
}) => {
  for (const isSignedIn of [false, true]) {
    await test.step(`of the ${isSignedIn ? "purchase" : "sign-in"} dialog`, async () => {
      if (isSignedIn) await signInAsNewUser(page);
      const release = await holdRequests(page, "**/assets/*.js");
      await page.goto("/", { waitUntil: "commit" });
      await page.getByRole("button", { name: "Get access to Canva", exact: true }).click();
      release();
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectBackOnHome(shop);
      await page.unrouteAll();
    });
  }
});
