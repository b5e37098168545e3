import { expect } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser } from "./people.ts";
import { capturesOf, purchasesOf, stockOf } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";

const TOOL = "Amazon Prime";
const PRICE = "₹89";
const bought = { tool: TOOL, status: "completed", stock: "used", days: 30, amount: 8900 };

/** A second tab of the same browser. */
async function secondTab(shop: ShopPage): Promise<ShopPage> {
  const tab = new ShopPage(await shop.page.context().newPage());
  await tab.open("/");
  return tab;
}

async function choosePass(shop: ShopPage): Promise<void> {
  await shop.openPurchase(TOOL);
  await shop.purchase.option("30 Days").check();
}

test("a double click on Pay buys once", async ({ shop }) => {
  const before = await stockOf("amazon-prime");
  const { email } = await becomeUser(shop.page);
  const starts: string[] = [];
  shop.page.on("request", (request) => {
    if (request.url().endsWith("/checkout/start")) starts.push(request.url());
  });
  await shop.open("/");
  await choosePass(shop);
  await shop.purchase.pay(PRICE).dblclick();
  await shop.purchase.gatewayButton("Pay").dblclick();
  await expect(shop.purchase.success).toBeVisible();
  expect(starts).toHaveLength(1);
  expect(await purchasesOf(email)).toEqual([bought]);
  expect(await capturesOf(email)).toBe(1);
  expect(await stockOf("amazon-prime")).toBe(before - 1);
});

test("after a purchase the page loads its data again once", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/");
  await choosePass(shop);
  const loads: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith(".data")) loads.push(request.url());
  });
  await shop.purchase.goToGateway(PRICE);
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.success).toBeVisible();
  await shop.purchase.expectGone();
  await expect(page.getByRole("button", { name: `Open ${TOOL}` })).toBeVisible();
  expect(loads).toHaveLength(1);
});

test("the second tab learns that the tool is bought", async ({ shop }) => {
  const before = await stockOf("amazon-prime");
  const { email } = await becomeUser(shop.page);
  await shop.open("/");
  const other = await secondTab(shop);
  await choosePass(other);
  await expect(other.purchase.pay(PRICE)).toBeEnabled();
  await choosePass(shop);
  await shop.purchase.goToGateway(PRICE);
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.success).toBeVisible();

  await expect(
    other.purchase.root.getByRole("heading", { name: "You already have access to this tool!" }),
  ).toBeVisible();
  await expect(other.purchase.pay(PRICE)).toHaveCount(0);
  await expect(other.purchase.root.getByRole("link", { name: `Open ${TOOL}` })).toBeVisible();
  expect(await purchasesOf(email)).toEqual([bought]);
  expect(await stockOf("amazon-prime")).toBe(before - 1);
});

test("two tabs at the payment at the same time buy once", async ({ shop }) => {
  const before = await stockOf("amazon-prime");
  const { email } = await becomeUser(shop.page);
  await shop.open("/");
  const other = await secondTab(shop);
  for (const tab of [shop, other]) {
    await choosePass(tab);
    await tab.purchase.goToGateway(PRICE);
  }
  await Promise.all([shop, other].map((tab) => tab.purchase.gatewayButton("Pay").click()));
  for (const tab of [shop, other]) {
    await expect(tab.page.locator('iframe[title="Test payment"]')).toHaveCount(0);
    await tab.purchase.expectGone();
  }
  await shop.open("/dashboard");
  await expect(shop.pass(TOOL)).toHaveCount(1);
  expect(await purchasesOf(email)).toEqual([bought]);
  expect(await capturesOf(email)).toBe(1);
  expect(await stockOf("amazon-prime")).toBe(before - 1);
});

test("a reload in the middle of paying goes on with the same order", async ({ shop }) => {
  const before = await stockOf("amazon-prime");
  const { email } = await becomeUser(shop.page);
  await shop.open("/");
  await choosePass(shop);
  await shop.purchase.goToGateway(PRICE);
  const order = await shop.purchase.gateway.getByText(/^order_/).textContent();
  await shop.reload();
  expect(await stockOf("amazon-prime")).toBe(before - 1);

  await choosePass(shop);
  await shop.purchase.goToGateway(PRICE);
  await expect(shop.purchase.gateway.getByText(/^order_/)).toHaveText(order ?? "");
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.success).toBeVisible();
  expect(await purchasesOf(email)).toEqual([bought]);
  expect(await capturesOf(email)).toBe(1);
  expect(await stockOf("amazon-prime")).toBe(before - 1);
});
