import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { openAsAdmin, openRowDialog, purchaseRow } from "./admin-page.ts";
import { expectOnlyLostRequests, test } from "./fixtures.ts";
import { addCoupon, countCouponUses, listPurchases } from "./shop-database.ts";
import { openOrderSummary } from "./shop-page.ts";
import { newEmail, PASSWORD, post, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true });

/** Records the bodies of all requests that validate a coupon. */
function recordCouponRequests(page: Page): unknown[] {
  const couponRequests: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/checkout/coupon")) couponRequests.push(request.postDataJSON());
  });
  return couponRequests;
}

/** Sends the second click of a double click, at any later time. */
async function sendSecondClick(page: Page, target: Locator): Promise<void> {
  await target.hover();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}

test("a coupon is applied, removed, applied again and used for the payment", async ({ shop }) => {
  const uses = await countCouponUses("WELCOME20");
  const { email } = await openOrderSummary(shop, "chatgpt", "30 Days");
  const { purchase } = shop;
  await expect(purchase.coupon).toHaveCount(0);
  await purchase.couponToggle.click();
  await expect(purchase.couponToggle).toHaveAttribute("aria-expanded", "true");
  await expect(purchase.coupon).toBeFocused();
  await purchase.coupon.pressSequentially(" welcome20");
  await expect(purchase.coupon).toHaveValue(" WELCOME20");
  await purchase.couponButton("Apply").click();
  await expect(purchase.coupon).toHaveValue("WELCOME20");
  await expect(purchase.coupon).not.toBeEditable();
  await expect(purchase.notice("20% off")).toBeVisible();
  await expect(purchase.notice("−₹89.80")).toBeVisible();
  await expect(purchase.struckPrice("₹1,999")).toBeVisible();
  await expect(purchase.notice("You save ₹1,639.80")).toBeVisible();
  await expect(purchase.pay("₹359.20")).toBeEnabled();
  await purchase.option("7 Days").check();
  await expect(purchase.notice("−₹29.80")).toBeVisible();
  await expect(purchase.struckPrice("₹499")).toBeVisible();
  await expect(purchase.pay("₹119.20")).toBeEnabled();

  await purchase.couponButton("Remove").click();
  await expect(purchase.coupon).toHaveValue("");
  await expect(purchase.coupon).toBeFocused();
  await expect(purchase.notice("20% off")).toHaveCount(0);
  await expect(purchase.notice("You save ₹350")).toBeVisible();
  await expect(purchase.pay("₹149")).toBeEnabled();

  await purchase.apply("WELCOME20");
  await purchase.openGateway("₹119.20");
  await expect(purchase.gateway.getByRole("heading", { name: "Pay ₹119.20" })).toBeVisible();
  await purchase.gatewayButton("Close").click();
  await expect(purchase.notice("You closed the checkout.")).toBeVisible();
  await expect(purchase.couponButton("Remove")).toBeVisible();
  expect(await countCouponUses("WELCOME20")).toBe(uses);
  await purchase.openGateway("₹119.20");
  await purchase.gatewayButton("Pay").click();
  await purchase.expectSuccess();
  expect(await listPurchases(email)).toContainEqual({
    tool: "ChatGPT Pro",
    status: "completed",
    stock: "used",
    days: 7,
    amount: 11_920,
  });
  expect(await countCouponUses("WELCOME20")).toBe(uses + 1);
});

test("a visitor types a coupon before there is an account, and it is checked and applied after the sign-in", async ({
  shop,
  page,
}) => {
  const couponRequests = recordCouponRequests(page);
  const { purchase, signIn } = shop;
  await shop.open("/");
  await page.getByRole("button", { name: "Get access to ChatGPT Pro", exact: true }).click();
  await purchase.couponToggle.click();
  await purchase.coupon.pressSequentially("welcome20");
  await expect(purchase.notice("We’ll check it once you’ve signed in.")).toBeVisible();
  await purchase.coupon.press("Enter");
  await expect(purchase.couponButton("Apply")).toHaveCount(0);
  expect(couponRequests).toEqual([]);
  await signIn.email.fill(newEmail());
  await signIn.password.fill(PASSWORD);
  await signIn.button("Create an Account").click();
  await expect(purchase.notice("20% off")).toBeVisible();
  await expect(purchase.pay("₹119.20")).toBeEnabled();
  expect(couponRequests).toEqual([{ slug: "chatgpt", code: "WELCOME20" }]);
});

test("a link with a coupon says what one pays, and the purchase begins with it, also after signing up", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
  const couponRequests = recordCouponRequests(page);
  const { purchase, signIn } = shop;
  const email = newEmail();
  await test.step("the shop page says what the coupon does", async () => {
    // A chat app may add an invisible character to a link.
    await shop.open(`/shop/canva?coupon=${code.toLowerCase()}%E2%80%8B&utm_source=whatsapp`);
    await expect(page.getByText(`${code} applied: 50% off, you pay ₹24.50.`)).toBeVisible();
    expect(couponRequests).toEqual([{ slug: "canva", code }]);
    await expectAccessible(page, "shop page with the coupon of a link");
  });
  await test.step("the sheet and the payment have it", async () => {
    await page.getByRole("main").getByRole("button", { name: "Get access to Canva", exact: true }).click();
    await expect(purchase.root.getByText("₹24.50", { exact: true })).toBeVisible();
    await expect(purchase.notice(code)).toBeInViewport({ ratio: 1 });
    await expect(purchase.coupon).toHaveValue(code);
    await takeScreenshot(page, "sheet with the coupon of a link");
    await signIn.createAccount({ email, password: PASSWORD });
    await expect(purchase.pay("₹24.50")).toBeEnabled();
    expect(couponRequests).toHaveLength(1);
    await purchase.openGateway("₹24.50");
    await purchase.gatewayButton("Pay").click();
    await purchase.expectSuccess();
    expect(await listPurchases(email)).toMatchObject([{ tool: "Canva", amount: 2450 }]);
  });
  await test.step("the link of a buyer who has the pass says that the coupon is not used", async () => {
    await shop.open(`/shop/canva?coupon=${code}`);
    await expect(page.getByText("You have this pass already", { exact: false })).toContainText(code);
  });
  await test.step("the admin sees where the buyer came from", async () => {
    const admin = await openOtherBrowser({ viewport: { width: 390, height: 844 } });
    await openAsAdmin(admin, `/admin/purchases?q=${encodeURIComponent(email)}`);
    const bought = purchaseRow(admin.page, email, "Canva");
    const drawer = await openRowDialog(admin.page, bought, "View", "Canva");
    await expect(drawer.getByText("Came from", { exact: true })).toBeVisible();
    await expect(drawer.getByText("whatsapp", { exact: true })).toBeVisible();
    await takeScreenshot(admin.page, "purchase with where its buyer came from");
  });
});

test("a sheet that a visitor opens before the coupon of the link is checked shows its price once it is", async ({
  shop,
  page,
}) => {
  const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
  let answer = () => {};
  const isOpen = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/checkout\/coupon/, async (route) => {
    await isOpen;
    await route.continue();
  });
  await shop.open(`/shop/canva?coupon=${code}`);
  await expect(page.getByText("Checking coupon…")).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "Get access to Canva", exact: true }).click();
  const { root } = shop.purchase;
  await expect(root.getByRole("button", { name: "Create an Account" })).toBeEnabled();
  await expect(root.getByText("₹24.50", { exact: true })).toHaveCount(0);
  answer();
  await expect(root.getByText("₹24.50", { exact: true })).toBeVisible();
  await expect(root.getByText(code, { exact: true })).toBeVisible();
});

test("a link with a wrong coupon, or one for a tool that takes none, says so, and a program that reads links spends no attempt", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const couponRequests = recordCouponRequests(page);
  await shop.open("/shop/canva?coupon=NO-SUCH-CODE");
  await expect(page.getByText("NO-SUCH-CODE: Invalid coupon code")).toBeVisible();
  await shop.choose("Canva");
  await expect(shop.purchase.root.getByText("₹49", { exact: true }).last()).toBeVisible();
  await expect(shop.purchase.coupon).toHaveCount(0);
  expect(couponRequests).toHaveLength(1);
  for (const [slug, text] of [
    ["grammar-checker", "You don’t need the coupon SAVE20: this tool is free."],
    ["stealth-writer", "The coupon SAVE20 isn’t used here: this tool is sold on WhatsApp."],
    ["udemy", "You can use the coupon SAVE20 when this tool is back in stock."],
  ]) {
    await shop.open(`/shop/${slug}?coupon=save20`);
    await expect(page.getByText(text ?? "", { exact: true })).toBeVisible();
  }
  await shop.open(`/shop/canva?coupon=${"x".repeat(200)}`);
  await expect(page.getByText(/^X+: Invalid coupon code$/)).toBeVisible();
  expect(couponRequests).toHaveLength(1);

  const reader = await openOtherBrowser({ userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1)" });
  const readerRequests = recordCouponRequests(reader.page);
  await reader.open("/shop/canva?coupon=SAVE20");
  await expect(reader.page.getByText("The coupon SAVE20 is checked before you pay.")).toBeVisible();
  expect(readerRequests).toEqual([]);
});

test("a coupon that cannot be used says why at its field, and another one can be tried", async ({
  shop,
  page,
  newClient,
  browserErrors,
}) => {
  await openOrderSummary(shop, "canva", "30 Days");
  const { purchase } = shop;
  await test.step("each refusal of a coupon is shown at the field and disappears on editing", async () => {
    const slug = "canva";
    const codes = [
      ["NO-SUCH-CODE", "Invalid coupon code"],
      ["WELCOME20", "Invalid coupon code"],
      [await addCoupon({ slug, discountPercentage: 20, isActive: false }), "This coupon is no longer active"],
      [
        await addCoupon({ slug, discountPercentage: 20, expiresAt: new Date(Date.now() - 1000) }),
        "This coupon has expired",
      ],
    ] as const;
    for (const [code, message] of codes) {
      await purchase.apply(code);
      await expect(purchase.root.getByRole("alert").getByText(message, { exact: true })).toBeVisible();
      await expect(purchase.coupon).toHaveAttribute("aria-invalid", "true");
      await expect(purchase.coupon).toHaveAccessibleDescription(message);
      await expect(purchase.coupon).toHaveValue(code);
      await expect(purchase.pay("₹119")).toBeEnabled();
      await purchase.coupon.press("Delete");
      await expect(purchase.notice(message)).toHaveCount(0);
      await expect(purchase.coupon).not.toHaveAttribute("aria-invalid");
    }
  });
  await test.step("a used-up coupon is refused until its use is released", async () => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 20, usageLimit: 1 });
    const other = await newClient();
    await signInAsNewUser(other);
    const taken = await post(other, "/checkout/start", { slug: "canva", option: "7 Days", coupon: code });
    await purchase.apply(code);
    await expect(purchase.notice("This coupon has reached its usage limit")).toBeVisible();
    // The cancelled checkout releases the use.
    await post(other, "/checkout/cancel", Object(await taken.json()));
    await purchase.couponButton("Apply").click();
    await expect(purchase.pay("₹95.20")).toBeEnabled();
    await purchase.couponButton("Remove").click();
  });
  await test.step("a lost connection is shown at the coupon field, and the same code can be retried", async () => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 10 });
    await page.context().setOffline(true);
    await purchase.apply(code);
    await expect(purchase.notice("Error validating coupon")).toBeVisible();
    await page.context().setOffline(false);
    await purchase.couponButton("Apply").click();
    await expect(purchase.pay("₹107.10")).toBeEnabled();
    await page.context().setOffline(true);
    await purchase.pay("₹107.10").click();
    await expect(purchase.notice("Network error. Please check your internet connection.")).toBeVisible();
    const kept = "Nothing was charged. Your duration and coupon are kept.";
    await expect(purchase.notice(kept)).toBeVisible();
    await takeScreenshot(page, "lost connection at the pay button");
    await page.context().setOffline(false);
    await expect(purchase.option("30 Days")).toBeChecked();
    await expect(purchase.pay("₹107.10")).toBeEnabled();
    expectOnlyLostRequests(browserErrors);
    await purchase.couponButton("Remove").click();
  });
  await test.step("a blank code sends no request, and a double click on Apply sends one", async () => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 10 });
    const couponRequests = recordCouponRequests(page);
    await purchase.openCoupon();
    await purchase.couponButton("Apply").click();
    await purchase.apply("   ");
    await purchase.coupon.press("Enter");
    await purchase.coupon.fill(code);
    await purchase.couponButton("Apply").dblclick();
    await expect(purchase.pay("₹107.10")).toBeEnabled();
    await sendSecondClick(page, purchase.couponButton("Remove"));
    await purchase.coupon.press("Enter");
    await purchase.couponButton("Remove").click();
    await purchase.coupon.fill("NO-SUCH-CODE");
    await purchase.couponButton("Apply").dblclick();
    await expect(purchase.notice("Invalid coupon code")).toBeVisible();
    await sendSecondClick(page, purchase.couponButton("Apply"));
    expect(couponRequests).toEqual([
      { slug: "canva", code },
      { slug: "canva", code: "NO-SUCH-CODE" },
    ]);
  });
  await test.step("the coupon field is accessible when refused and when applied", async () => {
    await purchase.apply("NO-SUCH-CODE");
    await expect(purchase.notice("Invalid coupon code")).toBeVisible();
    await expectAccessible(page, "purchase coupon refused", '[role="dialog"]');
    await purchase.apply(await addCoupon({ slug: "canva", discountPercentage: 20 }));
    await expect(purchase.notice("20% off")).toBeVisible();
    await expectAccessible(page, "purchase coupon applied", '[role="dialog"]');
  });
});

test("the focus is on Pay after a declined payment, not in the field of a refused code", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openOrderSummary(shop, "canva", "30 Days");
  const { purchase } = shop;
  await purchase.apply("NO-SUCH-CODE");
  await expect(purchase.notice("Invalid coupon code")).toBeVisible();
  await purchase.openGateway("₹119");
  await purchase.gatewayButton("Fail").click();
  await purchase.gatewayButton("Close").click();
  await expect(
    purchase.notice("Your bank declined the payment. If money left your account, the bank returns it."),
  ).toBeVisible();
  await expect(purchase.coupon).toHaveAttribute("aria-invalid", "true");
  await expect(purchase.pay("₹119")).toBeFocused();
  await takeScreenshot(page, "declined with a refused code 390");
});

test("a coupon and the payment work with the keyboard alone, and Pay applies a typed coupon first", async ({
  shop,
  page,
}) => {
  const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
  const { email } = await openOrderSummary(shop, "canva", "30 Days");
  const { purchase } = shop;
  await test.step("options, coupon and payment work with the keyboard alone, and Enter in the coupon field never pays", async () => {
    await expect(purchase.option("30 Days")).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(purchase.couponToggle).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(purchase.coupon).toBeFocused();
    await page.keyboard.type(code.toLowerCase());
    await page.keyboard.press("Enter");
    await expect(purchase.pay("₹59.50")).toBeEnabled();
    await expect(purchase.coupon).toBeFocused();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(purchase.couponButton("Remove")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(purchase.coupon).toBeFocused();
    await expect(purchase.coupon).toHaveValue("");
    await page.keyboard.type(code);
    await page.keyboard.press("Tab");
    await expect(purchase.couponButton("Apply")).toBeFocused();
    await page.keyboard.press("Space");
    await expect(purchase.couponButton("Remove")).toBeFocused();
    expect(await listPurchases(email)).toEqual([]);
    await page.keyboard.press("Tab");
    await expect(purchase.pay("₹59.50")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(purchase.gatewayButton("Pay")).toBeVisible();
    await purchase.gatewayButton("Close").click();
    await expect(purchase.notice("You closed the checkout.")).toBeVisible();
  });
  await test.step("Pay applies a typed coupon before it opens the payment", async () => {
    const before = await listPurchases(email);
    await purchase.couponButton("Remove").click();
    await purchase.coupon.fill(code);
    await purchase.pay("₹119").dblclick();
    await expect(purchase.notice("Your coupon is applied.")).toBeVisible();
    await sendSecondClick(page, purchase.pay("₹59.50"));
    await expect(purchase.pay("₹59.50")).toBeEnabled();

    await purchase.couponButton("Remove").click();
    await purchase.coupon.fill("NO-SUCH-CODE");
    await purchase.pay("₹119").dblclick();
    await expect(purchase.notice("Your coupon cannot be used.")).toBeVisible();
    await expect(purchase.notice("Invalid coupon code")).toBeVisible();
    expect(await listPurchases(email)).toEqual(before);
    await purchase.openGateway("₹119");
    await purchase.gatewayButton("Close").click();
    await expect(purchase.notice("You closed the checkout.")).toBeVisible();
  });
});

test.describe(() => {
  test.use({ viewport: { width: 390, height: 664 }, hasTouch: true, isMobile: true });

  test("the coupon and the discounted price are visible together on a small phone without layout shift", async ({
    shop,
  }) => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
    await openOrderSummary(shop, "canva", "30 Days");
    const { purchase } = shop;
    const before = await purchase.height();
    await purchase.couponToggle.tap();
    await expect(purchase.coupon).toBeInViewport({ ratio: 1 });
    await purchase.coupon.fill("NO-SUCH-CODE");
    await purchase.couponButton("Apply").tap();
    await expect(purchase.notice("Invalid coupon code")).toBeInViewport({ ratio: 1 });
    await expect(purchase.pay("₹119")).toBeInViewport({ ratio: 1 });
    expect(await purchase.height()).toBe(before);
    await purchase.coupon.fill(code);
    await purchase.couponButton("Apply").tap();
    await expect(purchase.notice("−₹59.50")).toBeInViewport({ ratio: 1 });
    await expect(purchase.pay("₹59.50")).toBeInViewport({ ratio: 1 });
    expect(await purchase.height()).toBe(before);
  });
});
