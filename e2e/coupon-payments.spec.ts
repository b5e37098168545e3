import { expect } from "@playwright/test";
import { test } from "./journey.ts";
import { openBill } from "./open-bill.ts";
import { becomeUser, post } from "./people.ts";
import { addCoupon, capturesOf, changeCoupon, purchasesOf, stockOf, usesOf } from "./shop-database.ts";

test("a coupon that leaves ₹0 opens the tool without a payment", async ({ shop }) => {
  const before = await stockOf("hix-ai-assistant");
  const code = await addCoupon({ slug: "hix-ai-assistant", discountPercentage: 100, usageLimit: 1 });
  const { email } = await openBill(shop, "HIX AI Assistant", "30 Days");
  const { purchase } = shop;
  await purchase.apply(code);
  await expect(purchase.notice("Nothing is charged. Access starts at once.")).toBeVisible();
  await purchase.getForNothing.dblclick();
  await expect(purchase.root.getByRole("heading", { name: "You have access" })).toBeVisible();
  await expect(purchase.notice("Nothing was charged.")).toBeVisible();
  await expect(shop.page.locator('iframe[title="Test payment"]')).toHaveCount(0);
  await purchase.expectGone();
  await expect(shop.page.getByRole("button", { name: "Open HIX AI Assistant" })).toBeVisible();
  expect(await purchasesOf(email)).toEqual([
    { tool: "HIX AI Assistant", status: "completed", stock: "used", days: 30, amount: 0 },
  ]);
  expect(await capturesOf(email)).toBe(0);
  expect(await usesOf(code)).toBe(1);
  expect(await stockOf("hix-ai-assistant")).toBe(before - 1);
});

test("the last use goes to somebody else between Apply and Pay", async ({ shop, newcomer }) => {
  const before = await stockOf("canva");
  const code = await addCoupon({ slug: "canva", discountPercentage: 50, usageLimit: 1 });
  const { email } = await openBill(shop, "Canva", "30 Days");
  const { purchase } = shop;
  await purchase.apply(code);
  await expect(purchase.pay("₹59.50")).toBeEnabled();
  const other = await newcomer();
  await becomeUser(other.page);
  const taken = await post(other.page, "/checkout/start", { slug: "canva", option: "7 Days", coupon: code });
  expect(taken.status()).toBe(200);

  await purchase.pay("₹59.50").click();
  await expect(purchase.root.getByRole("alert").getByText(/limit/)).toBeVisible();
  await expect(purchase.coupon).toHaveValue(code);
  await expect(purchase.coupon).toBeEditable();
  await expect(purchase.pay("₹119")).toBeEnabled();
  expect((await purchasesOf(email)).filter(({ status }) => status !== "failed")).toEqual([]);
  expect(await usesOf(code)).toBe(1);
  expect(await stockOf("canva")).toBe(before - 1);
  await post(other.page, "/checkout/cancel", Object(await taken.json()));
});

test("a discount that changed is shown before it is paid; a reload knows the coupon", async ({ shop }) => {
  const code = await addCoupon({ slug: "canva", discountPercentage: 50 });
  await openBill(shop, "Canva", "30 Days");
  const { purchase } = shop;
  await purchase.apply(code);
  await expect(purchase.pay("₹59.50")).toBeEnabled();
  await changeCoupon(code, 10);
  await purchase.pay("₹59.50").click();
  await expect(purchase.notice("The price has changed.")).toBeVisible();
  await purchase.goToGateway("₹107.10");
  await shop.reload();
  await shop.openPurchase("Canva");
  await expect(purchase.coupon).toHaveValue(code);
  await expect(purchase.couponButton("Remove")).toBeVisible();
  await expect(purchase.notice("10% off")).toBeVisible();
  await purchase.option("30 Days").check();
  await purchase.goToGateway("₹107.10");
  await purchase.gatewayButton("Pay").click();
  await expect(purchase.success).toBeVisible();
  expect(await usesOf(code)).toBe(1);
});

test("what is left below ₹1 is charged as ₹1, and that is said before", async ({ shop }) => {
  const code = await addCoupon({ slug: "quillbot", discountPercentage: 99 });
  await openBill(shop, "QuillBot", "7 Days");
  await shop.purchase.apply(code);
  await expect(
    shop.purchase.root.getByText(/^The smallest amount that can be charged is ₹1\./),
  ).toBeVisible();
  await shop.purchase.goToGateway("₹1");
  await expect(shop.purchase.gateway.getByRole("heading", { name: "Pay ₹1", exact: true })).toBeVisible();
  await shop.purchase.gatewayButton("Close").click();
  await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
});
