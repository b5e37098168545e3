import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { countCaptures, listPurchases, readStock } from "./shop-database.ts";
import { shopDate } from "./shop-dates.ts";
import { readSuccessPanel } from "./success-panels.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const CANVA_FEATURES = [
  "Premium templates and stock photos",
  "Background remover",
  "Resize one design for many channels",
  "Brand kit with fonts and colours",
  "Video and presentation editor",
  "Download as PNG, PDF, MP4 or SVG",
  "Works on phone and desktop",
];

const DAY_MS = 24 * 60 * 60 * 1000;
test("a visitor signs up, buys a pass and opens the tool", async ({ shop }) => {
  const before = await readStock("canva");
  const email = newEmail();
  await shop.open("/");
  await expect(shop.card("Canva").getByText(`${before} left`)).toBeVisible();
  await shop.choose("Canva");
  await shop.signIn.createAccount({ email, password: PASSWORD });

  // The same dialog goes on to the payment.
  const { purchase } = shop;
  await expect(purchase.root.getByRole("heading", { name: "Canva" })).toBeVisible();
  for (const benefit of ["Premium access", "Unlimited usage", "24/7"]) {
    await expect(purchase.root.getByText(benefit, { exact: true })).toBeVisible();
  }
  for (const feature of CANVA_FEATURES) await expect(purchase.notice(feature)).toBeVisible();
  await expect(purchase.root.getByText("Works on:")).toBeVisible();
  await expect(purchase.root.getByRole("radio")).toHaveCount(3);
  // 7 days for ₹49, 30 for ₹119 and 90 for ₹329.
  for (const text of ["₹7 a day", "₹3.97 a day", "₹3.66 a day"])
    await expect(purchase.notice(text)).toBeVisible();
  for (const saving of [/^Save 43%/, /^Save 47%/])
    await expect(purchase.root.getByText(saving)).toBeVisible();
  await expect(purchase.pay("₹49")).toBeVisible();
  await purchase.option("30 Days").check();
  await purchase.openGateway("₹119");
  await expect(purchase.gateway.getByRole("heading", { name: "Pay ₹119" })).toBeVisible();

  await purchase.gatewayButton("Fail").click();
  await expect(purchase.gateway.getByText("The bank declined the payment.", { exact: true })).toBeVisible();
  expect(await listPurchases(email)).toMatchObject([{ status: "pending", stock: "held" }]);
  await purchase.gatewayButton("Pay").click();
  await purchase.expectSuccess();
  expect(await listPurchases(email)).toEqual([
    { tool: "Canva", status: "completed", stock: "used", days: 30, amount: 11_900 },
  ]);
  expect(await countCaptures(email)).toBe(1);
  await purchase.expectToolPage("canva");
  const panel = await readSuccessPanel(shop.page);
  expect((panel?.goneAt ?? 0) - (panel?.shownAt ?? 0)).toBeGreaterThanOrEqual(1990);
  expect(panel?.text).toContain("Active");
  expect(panel?.text).toMatch(new RegExp(`Access until \\w{3} ${shopDate(Date.now() + 30 * DAY_MS)}, `));
  expect(panel?.text).toMatch(/Order number [0-9A-Z]{8}Open Canva$/);
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();
  await expect(shop.page.locator("#content")).toBeFocused();
  expect(await readStock("canva")).toBe(before - 1);

  await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
  const pass = shop.pass("Canva");
  await expect(pass.getByText("Active", { exact: true })).toBeVisible();
  await expect(pass.getByText(shopDate(Date.now() + 30 * DAY_MS))).toBeVisible();
  await expect(pass.getByText(/^30 days left$/)).toBeVisible();
  await pass.getByRole("link", { name: "Open" }).click();
  await expect(shop.page).toHaveURL(/\/tools\/canva$/);
  await expect(shop.heading("Canva")).toBeVisible();
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();
});

test("a buyer closes the payment window, is declined at the next attempt, and pays at the third", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await shop.open("/");
  await test.step("the window event openPaymentModal opens the dialog with the real price", async () => {
    await page.evaluate(() => {
      window.dispatchEvent(new CustomEvent("openPaymentModal", { detail: { name: "Canva", price: 1 } }));
    });
    await expect(shop.purchase.root.getByRole("heading", { name: "Canva" })).toBeVisible();
    await shop.purchase.option("7 Days").check();
    await expect(shop.purchase.pay("₹49")).toBeEnabled();
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();

    // The detail may also carry the tool as its field.
    await page.evaluate(() => {
      const tool = { name: "QuillBot", price: 1 };
      window.dispatchEvent(new CustomEvent("openPaymentModal", { detail: { tool } }));
    });
    await expect(shop.purchase.root.getByRole("heading", { name: "QuillBot" })).toBeVisible();
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
  });
  await test.step("closing the payment window creates no pass and releases the stock", async () => {
    const before = await readStock("hix-ai-assistant");
    await shop.openPurchase("HIX AI Assistant");
    await shop.purchase.option("7 Days").check();
    await shop.purchase.openGateway("₹69");
    expect(await readStock("hix-ai-assistant")).toBe(before - 1);

    await shop.purchase.gatewayButton("Close").click();
    await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    await expect(shop.purchase.pay("₹69")).toBeEnabled();
    expect(await readStock("hix-ai-assistant")).toBe(before);
    expect(await listPurchases(email)).toMatchObject([{ status: "failed", stock: "released" }]);
    await shop.purchase.root.getByRole("button", { name: "Close" }).click();
    await shop.purchase.expectGone();
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
    await expect(shop.heading("No Tools Available")).toBeVisible();
    await page.goBack();
  });
  await test.step("a buyer whose payment was declined closes the window and pays at the second attempt", async () => {
    const before = await readStock("hix-ai-assistant");
    await shop.openPurchase("HIX AI Assistant");
    await shop.purchase.option("7 Days").check();
    await shop.purchase.openGateway("₹69");
    await shop.purchase.gatewayButton("Fail").click();
    await expect(shop.purchase.gateway.getByText(/The bank declined the payment/)).toBeVisible();
    await shop.purchase.gatewayButton("Close").click();
    await expect(shop.purchase.notice("Payment failed. Please try again.")).toBeVisible();
    const declined = "Your bank declined the payment. If money left your account, the bank returns it.";
    await expect(shop.purchase.notice(declined)).toBeVisible();
    await shop.purchase.openGateway("₹69");
    await shop.purchase.gatewayButton("Pay").click();
    await shop.purchase.expectSuccess();
    expect((await listPurchases(email)).filter(({ status }) => status === "completed")).toHaveLength(1);
    expect(await countCaptures(email)).toBe(1);
    expect(await readStock("hix-ai-assistant")).toBe(before - 1);
    await shop.purchase.expectToolPage("hix-ai-assistant");
  });
});
