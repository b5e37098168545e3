import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { listPurchases } from "./shop-database.ts";
import { signInAsNewUser } from "./test-users.ts";

/** Presses Tab until the target has the focus. Fails when a focus trap prevents that. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 60 && !(await hasFocus()); presses += 1) await page.keyboard.press("Tab");
  await expect(target).toBeFocused();
}

test("a pass can be bought with the keyboard, Escape closes every dialog, and the focus returns to what opened it", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 780 });
  await shop.open("/");
  await test.step("Escape closes the sign-in dialog, and the focus returns to its button", async () => {
    const start = shop.accountNav.getByRole("button", { name: "Get Started" });
    await tabTo(page, start);
    await page.keyboard.press("Enter");
    await shop.signIn.expectView("Welcome");
    await expect(shop.signIn.button("Sign in with Email")).toBeFocused();
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
    await expect(start).toBeFocused();
  });
  const { email } = await signInAsNewUser(page);
  await shop.reload();
  await test.step("a pass can be bought with the keyboard, and the focus returns to the card, at 1280 px", async () => {
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: /^Skip/ })).toBeFocused();
    const card = page.getByRole("button", { name: "Get access to QuillBot" });
    await tabTo(page, card);
    await page.keyboard.press("Enter");

    const { purchase } = shop;
    await expect(purchase.root.locator(":focus")).toHaveCount(1);
    await tabTo(page, purchase.root.getByRole("radio", { checked: true }));
    while (!(await purchase.option("90 Days").isChecked())) await page.keyboard.press("ArrowDown");
    await tabTo(page, purchase.pay("₹269"));
    await page.keyboard.press("Enter");
    // The window of the gateway shows its buttons before its script takes the focus and hears keys.
    await expect(purchase.gatewayHeading).toBeFocused();
    await tabTo(page, purchase.gatewayButton("Pay"));
    await page.keyboard.press("Enter");
    await purchase.expectSuccess();
    await purchase.expectToolPage("quillbot");
    await expect(page.locator("#content")).toBeFocused();
    expect(await listPurchases(email)).toMatchObject([{ status: "completed", days: 90, amount: 26_900 }]);
  });
  await test.step("Escape closes the payment window and the purchase dialog, and the focus returns to the card", async () => {
    await shop.open("/");
    await shop.openPurchase("HIX AI Assistant");
    await shop.purchase.option("30 Days").check();
    await shop.purchase.openGateway("₹199");
    await expect(shop.purchase.gatewayHeading).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    await expect(shop.purchase.pay("₹199")).toBeFocused();
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
    await expect(page.getByRole("button", { name: "Get access to HIX AI Assistant" })).toBeFocused();
  });
});

test("a purchase leaves the focus at the start of the tool's page, however its panel closes", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  // Without animations the dialog is gone at once, and so may be what had the focus.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signInAsNewUser(page);
  const { purchase } = shop;
  const content = page.locator("#content");
  const endings = {
    Canva: { option: "7 Days", price: "₹49", slug: "canva", close: async () => undefined },
    QuillBot: {
      option: "90 Days",
      price: "₹269",
      slug: "quillbot",
      close: () => page.keyboard.press("Escape"),
    },
    "HIX AI Assistant": {
      option: "7 Days",
      price: "₹69",
      slug: "hix-ai-assistant",
      close: () => purchase.root.getByRole("button", { name: "Close" }).click(),
    },
  };
  for (const [tool, { option, price, slug, close }] of Object.entries(endings)) {
    await shop.open("/");
    await shop.openPurchase(tool);
    await purchase.option(option).check();
    await purchase.openGateway(price);
    await purchase.gatewayButton("Pay").click();
    await expect(purchase.success).toBeVisible();
    await close();
    await purchase.expectToolPage(slug);
    await expect(content).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(content.locator("a:visible, button:visible").first()).toBeFocused();
  }
});

test("Escape closes a dialog that has been on the screen for less than a frame", async ({ shop, page }) => {
  await page.addInitScript(() => {
    const { requestAnimationFrame, setTimeout } = window;
    const waiting: (() => void)[] = [];
    let held = false;
    const whenReleased = (run: () => void) => (held ? waiting.push(run) : run());
    const observer = new MutationObserver(() => {
      if (document.querySelector('[role="dialog"]') === null) return;
      observer.disconnect();
      held = true;
    });
    observer.observe(document, { childList: true, subtree: true });
    Object.assign(window, {
      requestAnimationFrame: (run: FrameRequestCallback) =>
        requestAnimationFrame((time) => whenReleased(() => run(time))),
      setTimeout: (run: () => void, ...rest: number[]) => setTimeout(() => whenReleased(run), ...rest),
      releaseFrames: () => {
        held = false;
        for (const run of waiting.splice(0)) run();
      },
    });
  });
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await expect(shop.signIn.root).toBeAttached();
  await page.keyboard.press("Escape");
  await page.evaluate("releaseFrames()");
  await expect(shop.signIn.root).toHaveCount(0);
});
