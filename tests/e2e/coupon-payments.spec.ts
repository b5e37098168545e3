import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import {
  addCoupon,
  changeCoupon,
  countCaptures,
  countCouponUses,
  listPurchases,
  readStock,
} from "./shop-database.ts";
import { openOrderSummary } from "./shop-page.ts";
import { readSuccessPanel } from "./success-panels.ts";
import { post, signInAsNewUser } from "./test-users.ts";

test("a coupon lowers the amount to ₹1 at least, and one of 100 % grants the pass without a payment", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await shop.open("/");
  const { purchase } = shop;
  await test.step("an amount below ₹1 is charged as ₹1, and the dialog shows that before", async () => {
    const code = await addCoupon({ slug: "quillbot", discountPercentage: 99 });
    await shop.openPurchase("QuillBot");
    await purchase.option("7 Days").check();
    await purchase.apply(code);
    await expect(purchase.root.getByText(/^The smallest amount that can be charged is ₹1\./)).toBeVisible();
    await purchase.openGateway("₹1");
    await expect(purchase.gateway.getByRole("heading", { name: "Pay ₹1", exact: true })).toBeVisible();
    await purchase.gatewayButton("Close").click();
    await expect(purchase.notice("You closed the checkout.")).toBeVisible();
    await purchase.root.getByRole("button", { name: "Close" }).click();
    await purchase.expectGone();
  });
  await test.step("a coupon of 100 % grants the pass without a payment", async () => {
    const before = await readStock("hix-ai-assistant");
    const code = await addCoupon({ slug: "hix-ai-assistant", discountPercentage: 100, usageLimit: 1 });
    await shop.openPurchase("HIX AI Assistant");
    await purchase.option("30 Days").check();
    await purchase.apply(code);
    await expect(purchase.notice("Nothing is charged. Access starts at once.")).toBeVisible();
    await purchase.freeAccessButton.dblclick();
    await purchase.expectSuccess("You have access");
    expect((await readSuccessPanel(page))?.text).toContain("Nothing was charged.");
    await expect(page.locator('iframe[title="Test payment"]')).toHaveCount(0);
    await purchase.expectToolPage("hix-ai-assistant");
    expect((await listPurchases(email)).slice(1)).toEqual([
      { tool: "HIX AI Assistant", status: "completed", stock: "used", days: 30, amount: 0 },
    ]);
    expect(await countCaptures(email)).toBe(0);
    expect(await countCouponUses(code)).toBe(1);
    expect(await readStock("hix-ai-assistant")).toBe(before - 1);
  });
});

test("a coupon that changes between Apply and Pay is never used unseen, at 390 px", async ({
  shop,
  page,
  newClient,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { email } = await openOrderSummary(shop, "canva", "30 Days");
  const { purchase } = shop;
  await test.step("a coupon whose last use is taken between Apply and Pay is refused", async () => {
    const before = await readStock("canva");
    const code = await addCoupon({ slug: "canva", discountPercentage: 50, usageLimit: 1 });
    await purchase.apply(code);
    await expect(purchase.pay("₹59.50")).toBeEnabled();
    const other = await newClient();
    await signInAsNewUser(other);
    const taken = await post(other, "/checkout/start", {
      slug: "canva",
      option: "7 Days",
      coupon: code,
    });
    expect(taken.status()).toBe(200);

    await purchase.pay("₹59.50").click();
    const refusal = purchase.root
      .getByRole("alert")
      .getByText("Coupon usage limit has been reached", { exact: true });
    await expect(refusal).toBeVisible();
    await expect(purchase.coupon).toHaveValue(code);
    await expect(purchase.coupon).toBeEditable();
    await expect(purchase.pay("₹119")).toBeEnabled();
    expect((await listPurchases(email)).filter(({ status }) => status !== "failed")).toEqual([]);
    expect(await countCouponUses(code)).toBe(1);
    expect(await readStock("canva")).toBe(before - 1);
    await post(other, "/checkout/cancel", Object(await taken.json()));
  });
  await test.step("a changed discount is shown before the payment, and a reload keeps the coupon", async () => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
    await purchase.apply(code);
    await expect(purchase.pay("₹59.50")).toBeEnabled();
    await changeCoupon(code, 10);
    await purchase.pay("₹59.50").click();
    await expect(purchase.notice("The price has changed.")).toBeVisible();
    await purchase.openGateway("₹107.10");
    await shop.reload();
    await page.getByRole("button", { name: "Get access to Canva" }).click();
    await expect(purchase.coupon).toHaveValue(code);
    await expect(purchase.couponButton("Remove")).toBeVisible();
    await expect(purchase.notice("10% off")).toBeVisible();
    await purchase.option("30 Days").check();
    await purchase.openGateway("₹107.10");
    await purchase.gatewayButton("Pay").click();
    await purchase.expectSuccess();
    expect(await countCouponUses(code)).toBe(1);
  });
});
