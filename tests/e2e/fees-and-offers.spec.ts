import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { listPurchases } from "./shop-database.ts";
import { signInAsNewUser } from "./test-users.ts";

const CASES = [
  {
    name: "the payment fee on top",
    button: "₹50.16 with the fee",
    paid: "₹50.16",
    line: "Payment fee",
    amount: "₹1.16",
  },
  {
    name: "an offer at the payment provider",
    button: "₹44.10 with an offer",
    paid: "₹44.10",
    line: "Offer at payment",
    amount: "−₹4.90",
  },
];

for (const { name, button, paid, line, amount } of CASES) {
  test(`a buyer pays ₹49 with ${name}, and the order and its receipt say what was paid`, async ({
    shop,
    page,
  }) => {
    const { email } = await signInAsNewUser(page);
    await shop.open("/");
    await shop.openPurchase("Canva");
    await shop.purchase.option("7 Days").check();
    await shop.purchase.openGateway("₹49");
    const choice = shop.purchase.gateway.getByRole("button", { name: button, exact: true });
    await choice.scrollIntoViewIfNeeded();
    await choice.click();
    await shop.purchase.expectSuccess();
    expect(await listPurchases(email)).toMatchObject([{ tool: "Canva", status: "completed", amount: 4_900 }]);

    await page.goto("/account");
    const order = page.getByRole("list", { name: "Orders" }).getByRole("listitem");
    await expect(order.getByText(paid, { exact: true })).toBeVisible();
    await order.getByRole("link", { name: "Receipt for Canva" }).click();
    await expect(page.getByRole("heading", { name: "Receipt" })).toBeVisible();
    const row = page.locator("dl > div").filter({ hasText: line });
    await expect(row.getByText(amount, { exact: true })).toBeVisible();
    await expect(page.locator("dl > div").filter({ hasText: "Paid" })).toContainText(paid);
  });
}
