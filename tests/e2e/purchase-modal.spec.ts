import { expect } from "@playwright/test";
import { takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import { addCoupon, listPurchases, query, readSettings, restoreSettings } from "./shop-database.ts";
import { accessUntil } from "./shop-dates.ts";
import { openByEvent, openOrderSummary, ShopPage } from "./shop-page.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
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
    // The account is in place of Pay, and the choice is kept.
    await shop.signIn.expectAccount();
    await expect(shop.purchase.option("7 Days")).toBeChecked();
    await expect(shop.purchase.notice("Your session has ended. Please sign in again.")).toBeVisible();
    expect(await listPurchases(email)).toEqual([]);
    await expect(shop.signIn.choice("I have an account")).toBeChecked();
    await shop.signIn.fill({ email, password: PASSWORD });
    await shop.signIn.button("Sign in with Email").click();
    await expect(shop.purchase.pay("₹49")).toBeEnabled();
    await expect(shop.purchase.notice("User authentication error")).toHaveCount(0);
  });
});

test("a visitor sees prices, chooses a duration, and goes on to the payment in the same sheet, at 390 px", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const [email, code] = [newEmail(), await addCoupon({ slug: "canva", discountPercentage: 50 })];
  await shop.open("/");
  await openByEvent(shop, "canva");
  const { purchase, signIn } = shop;
  await test.step("the sheet has the benefits, the prices, where the tool works, and one view for the account", async () => {
    for (const benefit of ["Premium access", "Unlimited usage", "24/7"])
      await expect(purchase.notice(benefit)).toBeVisible();
    await expect(purchase.option("7 Days")).toBeChecked();
    await expect(purchase.notice("Works on this computer")).toBeVisible();
    await expect(signIn.root.getByRole("region", { name: "Your Daypass account" })).toBeVisible();
    // Google is not set up in this shop.
    await expect(signIn.choices).toHaveText(["Create an Account"]);
    await expect(signIn.root.getByText("You pay on the next step.")).toBeVisible();
    await expect(signIn.root.getByText(/Password must be at least 6 characters/)).toBeVisible();
    await expect(signIn.root.getByText(/^By continuing, you accept our Terms/)).toBeVisible();
    await expect(purchase.root.getByRole("button", { name: /^Pay/ })).toHaveCount(0);
  });
  await purchase.option("30 Days").check();
  await test.step("a new password keeps the email, and Back leads to the account again", async () => {
    await signIn.email.fill(email);
    await signIn.choice("I have an account").check();
    await signIn.button("Forgot password?").click();
    await signIn.expectView("Reset password");
    await expect(signIn.email).toHaveValue(email);
    await page.goBack();
    await expect(signIn.email).toHaveValue(email);
    await signIn.expectAccount();
  });
  await test.step("errors are shown under their fields", async () => {
    await signIn.createAccount({ email: "nobody", password: "x" });
    await expect(signIn.root.getByText("Please enter a valid email address.")).toBeVisible();
    await signIn.signInInSheet({ email, password: "not-that-one" });
    await expect(signIn.root.getByText(/^No account found/)).toBeVisible();
    await expect(signIn.button("Trouble signing in?")).toBeVisible();
  });
  await signIn.createAccount({ email, password: PASSWORD });
  await expect(purchase.option("30 Days")).toBeChecked();
  await expect(purchase.pay("₹119")).toBeFocused();
  await expect(page).toHaveURL(/\/$/);
  await test.step("with a coupon the saving is counted from the struck price", async () => {
    await purchase.apply(code);
    await expect(purchase.pay("₹59.50")).toBeVisible();
    await expect(purchase.struckPrice("₹499")).toBeVisible();
    await expect(purchase.notice("You save ₹439.50")).toBeVisible();
  });
});

test("an email that is in use signs in from the sheet with what was typed, and a sheet in a second tab follows", async ({
  shop,
  page,
  newClient,
}) => {
  const { email } = await signInAsNewUser(await newClient());
  const second = new ShopPage(await page.context().newPage());
  await second.open("/");
  await second.choose("QuillBot");
  await second.purchase.option("30 Days").check();
  await page.bringToFront();
  await shop.open("/");
  await shop.choose("Canva");
  await shop.purchase.option("90 Days").check();
  await shop.signIn.createAccount({ email, password: PASSWORD });
  const inUse = "This email is already in use. Try signing in instead.";
  await expect(shop.signIn.root.getByText(inUse)).toBeVisible();
  await shop.signIn.button("Try signing in instead").click();
  await expect(shop.purchase.pay("₹329")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();
  await expect(page.getByRole("button", { name: "Get access to Canva" })).toBeFocused();
  await second.page.bringToFront();
  await expect(second.purchase.option("30 Days")).toBeChecked();
  await expect(second.purchase.pay("₹99")).toBeVisible();
});

test("Enter does what the button says, and a sheet that a visitor closed stays closed", async ({
  shop,
  page,
  newClient,
}) => {
  const { email } = await signInAsNewUser(await newClient());
  const closed = new ShopPage(await page.context().newPage());
  await closed.open("/");
  await closed.choose("QuillBot");
  await expect(closed.signIn.email).toBeVisible();
  const pending = () => closed.page.evaluate(() => sessionStorage.getItem("pending-tool"));
  expect(await pending()).toContain("quillbot");
  await closed.page.keyboard.press("Escape");
  await expect.poll(pending).toBeNull();
  await page.bringToFront();
  await shop.open("/");
  await shop.choose("Canva");
  const ways = shop.signIn.root.getByRole("button", { name: /^(Forgot|Create an|Sign in with)/ });
  await expect(ways).toHaveText(["Create an Account"]);
  await shop.signIn.signInInSheet({ email, password: "not-that-one" });
  await expect(shop.signIn.root.getByText("Incorrect password", { exact: false })).toBeVisible();
  await expect(ways).toHaveText(["Forgot password?", "Sign in with Email"]);
  await takeScreenshot(page, "sign-in with a wrong password");
  await shop.signIn.password.fill(PASSWORD);
  await shop.signIn.password.press("Enter");
  await expect(shop.purchase.pay("₹49")).toBeVisible();
  await closed.page.bringToFront();
  await expect(closed.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  await expect(closed.page.getByRole("dialog")).toHaveCount(0);
});

test("a pressed card grows into its sheet, and does not for people who want less motion", async ({
  shop,
  page,
}) => {
  await page.addInitScript(() => {
    const grown: string[] = Object.assign(window, { grown: [] }).grown;
    const { startViewTransition } = document;
    document.startViewTransition = function start(change) {
      const transition = startViewTransition.call(document, change);
      void transition.ready.then(() =>
        grown.push(
          ...document
            .getAnimations()
            .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.pseudoElement : null) ?? ""),
        ),
      );
      return transition;
    };
  });
  await shop.open("/");
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    await page.emulateMedia({ reducedMotion });
    await shop.choose("Canva");
    await shop.signIn.expectAccount();
    await expect(page.locator("html")).not.toHaveAttribute("data-growing");
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
    const grown = await page.evaluate(() => Reflect.get(window, "grown").splice(0));
    if (reducedMotion === "reduce") expect(grown).toEqual([]);
    else expect(grown).toContain("::view-transition-group(ticket)");
  }
});

test("a long benefit without spaces stays inside the sheet on a narrow phone", async ({ shop, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const before = await readSettings();
  try {
    const benefits = ["B".repeat(40), "Human support", "Works on phones"];
    await query("update settings set value = value || $1::jsonb where key = 'store'", [
      JSON.stringify({ benefits }),
    ]);
    await openOrderSummary(shop, "chatgpt", "30 Days");
    const long = shop.purchase.notice("B".repeat(40));
    await expect(long).toBeVisible();
    const box = await long.boundingBox();
    expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThanOrEqual(340);
    const body = page.locator(".dialog-body");
    expect(await body.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  } finally {
    await restoreSettings(before);
  }
});

test("the bill is as high with a long saving as without it on a narrow phone", async ({ shop, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const code = await addCoupon({ slug: "chatgpt", discountPercentage: 20 });
  await openOrderSummary(shop, "chatgpt", "30 Days");
  const bill = shop.purchase.root.locator("dl");
  const heightOf = async () => (await bill.boundingBox())?.height;
  const height = await heightOf();
  await shop.purchase.apply(code);
  await expect(shop.purchase.notice("You save ₹1,639.80")).toBeVisible();
  expect(await heightOf()).toBe(height);
});

test("the page behind is never shown from Pay to the payment window", async ({ shop, page }) => {
  await openOrderSummary(shop, "canva", "7 Days");
  await page.evaluate(() => {
    const uncovered: string[] = Object.assign(window, { uncovered: [] }).uncovered;
    new MutationObserver(() => {
      const sheet = document.querySelector("[role=dialog]:not([data-closed])");
      if (!sheet && !document.querySelector("dialog:modal")) uncovered.push("neither sheet nor window");
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  await shop.purchase.openGateway("₹49");
  await expect(page.locator("[role=dialog]")).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(window, "uncovered"))).toEqual([]);
});

test("an open purchase dialog follows the time, also behind a payment window, and gives up one that does not open", async ({
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
        const text = accessUntil(Date.now() + 7 * DAY_MS + later);
        await expect(shop.purchase.notice(text)).toBeVisible({ timeout: 500 });
      }).toPass();
    await expectUntil(0);
    await page.clock.fastForward("20:00");
    await expectUntil(20 * 60_000);
    await shop.purchase.openGateway("₹49");
    await page.clock.fastForward("05:00");
    await shop.purchase.gatewayButton("Close").click();
    await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    await expectUntil(25 * 60_000);
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

test("the window event openPaymentModal takes the place of a dialog that is open", async ({ shop, page }) => {
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.expectView("Welcome");
  await openByEvent(shop, "Canva");
  await expect(page.getByRole("heading", { name: "Welcome" })).toHaveCount(0);
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await shop.signIn.expectAccount();
  await openByEvent(shop, "QuillBot");
  await expect(shop.purchase.root.getByRole("heading", { name: "QuillBot" })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(shop.cards).toHaveCount(12);
});

test("a returning buyer who mistypes the address in the sheet is asked before there is a second account", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await page.context().clearCookies({ name: /session/ });
  const typed = email.replace("@example.com", "@exmple.com");
  await shop.open("/");
  await shop.openPurchase("Canva");
  await shop.signIn.fill({ email: typed, password: PASSWORD });
  await page.keyboard.press("Enter");
  const question = `You have signed in here as ${email}. Is this another address? Then press the button again.`;
  await expect(shop.purchase.root.getByText(question)).toBeVisible();
  await expect(shop.purchase.pay("₹49")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(shop.purchase.pay("₹49")).toBeVisible();
  await expect(shop.purchase.root.getByText(`For ${typed}`)).toBeVisible();
});
