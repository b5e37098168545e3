import { expect } from "@playwright/test";
import { takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import { addCoupon, listPurchases } from "./shop-database.ts";
import { openOrderSummary, type ShopPage } from "./shop-page.ts";
import { signInAsNewUser } from "./test-users.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const shopTimeFormat = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Asia/Kolkata",
  day: "2-digit",
  month: "2-digit",
  year: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** Opens the dialog by the window event that any part of the page may send. */
async function openByEvent(shop: ShopPage, name: string): Promise<void> {
  await shop.page.evaluate((tool) => {
    window.dispatchEvent(new CustomEvent("openPaymentModal", { detail: { name: tool, price: 1 } }));
  }, name);
  await expect(shop.purchase.root).toBeVisible();
}

test("the purchase dialog checks the access, is reset when it is closed, and asks for a sign-in when the session has ended", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await shop.open("/");
  await test.step("the purchase dialog shows that it checks access, then the price, without layout shift", async () => {
    let respond: () => void = () => undefined;
    const requested = new Promise<void>((resolve) => (respond = resolve));
    await page.route("**/checkout/offer?*", async (route) => {
      await requested;
      await route.continue();
    });
    await shop.openPurchase("Canva");
    await expect(shop.purchase.notice("Checking access")).toBeAttached();
    const before = await shop.purchase.height();
    respond();
    await expect(shop.purchase.pay("₹49")).toBeEnabled();
    await expect(shop.purchase.struckPrice("₹149")).toBeVisible();
    await expect(shop.purchase.notice("Checking access")).toHaveCount(0);
    expect(await shop.purchase.height()).toBe(before);
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
  });
  await test.step("closing the dialog resets the option, the coupon and the message", async () => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
    for (const typed of [code, "NO-SUCH-CODE"]) {
      await shop.openPurchase("Canva");
      await expect(shop.purchase.couponToggle).toHaveAttribute("aria-expanded", "false");
      await expect(shop.purchase.option("7 Days")).toBeChecked();
      await expect(shop.purchase.pay("₹49")).toBeEnabled();
      await shop.purchase.option("90 Days").check();
      await shop.purchase.apply(typed);
      await expect(shop.purchase.root.getByText(/^(50% off|Invalid coupon code)$/)).toBeVisible();
      await shop.purchase.root.getByRole("button", { name: "Close" }).click();
      await shop.purchase.expectGone();
    }
  });
  await test.step("a session that ended meanwhile shows an error, and nothing is bought", async () => {
    await shop.openPurchase("Canva");
    await expect(shop.purchase.pay("₹49")).toBeEnabled();
    await page.context().clearCookies();
    await shop.purchase.pay("₹49").click();
    await expect(shop.purchase.notice("User authentication error")).toBeVisible();
    await expect(shop.purchase.root.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
    expect(await listPurchases(email)).toEqual([]);
  });
});

test("a visitor sees prices and applies a coupon, and signs in before paying, at 390 px", async ({
  shop,
}) => {
  await shop.page.setViewportSize({ width: 390, height: 844 });
  const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
  await shop.open("/");
  await openByEvent(shop, "canva");
  const { purchase } = shop;
  await purchase.option("30 Days").check();
  await purchase.apply(code);
  await purchase.pay("₹59.50").click();
  const signInToContinue = "Please sign in to continue";
  await shop.signIn.expectView("Welcome");
  // The purchase dialog may still be closing.
  await expect(shop.page.getByRole("dialog", { name: "Welcome" })).toHaveAccessibleDescription(
    signInToContinue,
  );
  await expect(shop.signIn.root.getByText(signInToContinue, { exact: true })).toBeVisible();
  await shop.signIn.button("Sign in with Email").click();
  await expect(shop.signIn.root.getByText(signInToContinue, { exact: true })).toBeVisible();
  await shop.page.keyboard.press("Escape");
  await expect(purchase.notice(signInToContinue)).toBeVisible();
  await expect(purchase.coupon).toHaveValue(code);
  await expect(purchase.option("30 Days")).toBeChecked();
  await expect(purchase.root.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
});

test("an open purchase dialog follows the time, and gives up a payment window that does not open", async ({
  shop,
  page,
}) => {
  // After a change of the stock the page would load the dialog's data again, and the time of the server has not changed.
  await holdRequests(page, "**/live");
  await page.clock.install();
  await openOrderSummary(shop, "canva", "7 Days");
  await test.step("the end of the access in the dialog is updated while the dialog is open", async () => {
    const expectUntil = (later: number) =>
      expect(async () => {
        const until = shopTimeFormat.format(Date.now() + 7 * DAY_MS + later);
        await expect(shop.purchase.notice(`Access until ${until}`)).toBeVisible({ timeout: 500 });
      }).toPass();
    await expectUntil(0);
    await page.clock.fastForward("20:00");
    await expectUntil(20 * 60_000);
  });
  for (const { width, colorScheme, card } of [
    { width: 390, colorScheme: "dark", card: "rgb(23, 26, 33)" },
    { width: 1280, colorScheme: "light", card: "rgb(255, 255, 255)" },
  ] as const) {
    await test.step(`the test payment shows that it opens, and can be cancelled when it does not, at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route(/\/sandbox-gateway\/checkout\?/, async (route) => {
        await held;
        await route.abort();
      });
      await shop.purchase.pay("₹49").click();
      const words = page.getByText("Opening the test payment…");
      await expect(words).toBeVisible();
      await takeScreenshot(page, `opening the test payment ${width} ${colorScheme}`);
      await expect(words.locator("..")).toHaveCSS("background-color", card);
      await page.clock.fastForward(20_000);
      await expect(page.getByText("The test payment does not open. You were not charged.")).toBeVisible();
      await takeScreenshot(page, `test payment does not open ${width} ${colorScheme}`);
      await page.getByRole("button", { name: "Cancel", exact: true }).click();
      await expect(shop.purchase.notice("Nothing was charged.")).toBeVisible();
      letGo();
      await page.unroute(/\/sandbox-gateway\/checkout\?/);
    });
  }
});
