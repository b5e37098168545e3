import { expect } from "@playwright/test";
import { listOrderIds } from "./payment-records.ts";
import {
  choosePass,
  GatewayWindow,
  listGatewayPayments,
  openGatewayWindow,
  test,
} from "./razorpay-fixtures.ts";
import { countCaptures, listPurchases, readStock } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const hix = { tool: "HIX AI Assistant", option: "7 Days", price: "₹69" };
const prime = { tool: "Amazon Prime", option: "30 Days", price: "₹89" };

test("a visitor signs up, pays exactly the shown price at Razorpay and opens the tool", async ({
  shop,
  gateway,
}) => {
  const before = await readStock("canva");
  const email = newEmail();
  await shop.open("/");
  await shop.choose("Canva");
  await shop.signIn.button("Create an Account").click();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Create Account").click();
  await shop.purchase.option("30 Days").check();
  await expect(shop.purchase.notice("UPI · Cards · Secured by Razorpay")).toBeVisible();
  await shop.purchase.pay("₹119").click();
  const window = new GatewayWindow(shop);
  await expect(window.content.getByRole("heading", { name: "Pay INR 119.00" })).toBeVisible();
  expect(await listPurchases(email)).toMatchObject([{ status: "pending", stock: "held" }]);
  expect(await readStock("canva")).toBe(before - 1);

  await window.pay();
  await shop.purchase.expectSuccess();
  expect(await listGatewayPayments(gateway, email)).toMatchObject([
    { status: "captured", amountPaise: 11_900, currency: "INR", refundedPaise: 0 },
  ]);
  expect(await listPurchases(email)).toEqual([
    { tool: "Canva", status: "completed", stock: "used", days: 30, amount: 11_900 },
  ]);
  await shop.purchase.expectGone();
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
  await expect(shop.pass("Canva").getByText("Active", { exact: true })).toBeVisible();
  await shop.pass("Canva").getByRole("link", { name: "Open" }).click();
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();

  // The three webhooks of the payment change nothing.
  await gateway.webhooks.untilIdle();
  expect(await countCaptures(email)).toBe(1);
  expect(await readStock("canva")).toBe(before - 1);
});

test("a second attempt after a declined payment pays the same order", async ({ shop, gateway }) => {
  const { email } = await signInAsNewUser(shop.page);
  const window = await openGatewayWindow(shop, hix);
  await window.button("Fail").click();
  await expect(window.content.getByText(/declined by the bank/)).toBeVisible();
  expect(await listPurchases(email)).toMatchObject([{ status: "pending", stock: "held" }]);
  await window.button("Pay").click();
  await shop.purchase.expectSuccess();
  expect(await listOrderIds(email)).toHaveLength(1);
  expect(await listGatewayPayments(gateway, email)).toMatchObject([
    { status: "failed" },
    { status: "captured" },
  ]);
  expect(await listPurchases(email)).toMatchObject([{ status: "completed", stock: "used" }]);
});

test("closing the Razorpay window releases the stock and shows that nothing was charged", async ({
  shop,
  gateway,
}) => {
  const before = await readStock("hix-ai-assistant");
  const { email } = await signInAsNewUser(shop.page);
  const window = await openGatewayWindow(shop, hix);
  expect(await readStock("hix-ai-assistant")).toBe(before - 1);
  await window.button("Close").click();
  await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
  await expect(shop.purchase.notice("Nothing was charged.")).toBeVisible();
  await expect(shop.purchase.pay("₹69")).toBeEnabled();
  expect(await readStock("hix-ai-assistant")).toBe(before);
  expect(await listPurchases(email)).toMatchObject([{ status: "failed", stock: "released" }]);
  expect(await listGatewayPayments(gateway, email)).toEqual([]);
});

test("a double click on Pay creates one order", async ({ shop, gateway }) => {
  const { email } = await signInAsNewUser(shop.page);
  const ordersBefore = gateway.faults.count("create-order");
  await choosePass(shop, prime);
  await shop.purchase.pay(prime.price).dblclick();
  const window = new GatewayWindow(shop);
  await window.waitForHydration();
  await window.button("Pay").dblclick();
  await shop.purchase.expectSuccess();
  expect(gateway.faults.count("create-order")).toBe(ordersBefore + 1);
  expect(await listGatewayPayments(gateway, email)).toMatchObject([
    { status: "captured", amountPaise: 8900 },
  ]);
  expect(await listPurchases(email)).toHaveLength(1);
});

test("a tool that is paid in one tab is owned in the other", async ({ shop, gateway }) => {
  const { email } = await signInAsNewUser(shop.page);
  const other = new ShopPage(await shop.page.context().newPage());
  await choosePass(other, prime);
  await expect(other.purchase.pay(prime.price)).toBeEnabled();
  // A tab in the background may not pass a click on to the window's frame.
  await shop.page.bringToFront();
  await (await openGatewayWindow(shop, prime)).pay();
  await shop.purchase.expectSuccess();
  await expect(
    other.purchase.root.getByRole("heading", { name: "You already have access to this tool!" }),
  ).toBeVisible();
  await expect(other.purchase.pay(prime.price)).toHaveCount(0);
  expect(await listPurchases(email)).toMatchObject([{ status: "completed" }]);
  expect(await listGatewayPayments(gateway, email)).toHaveLength(1);
});

test.describe(() => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("on a phone a pass is bought in the Razorpay window", async ({ shop, page, gateway }) => {
    const { email } = await signInAsNewUser(page);
    await shop.open("/");
    await page.getByRole("button", { name: "Get access to QuillBot" }).tap();
    await shop.purchase.root.getByText("30 Days", { exact: true }).tap();
    await expect(shop.purchase.pay("₹99")).toBeInViewport({ ratio: 1 });
    await shop.purchase.pay("₹99").tap();
    const window = new GatewayWindow(shop);
    await window.waitForHydration();
    await expect(window.button("Pay")).toBeInViewport({ ratio: 1 });
    await window.button("Pay").tap();
    await expect(shop.purchase.success).toBeInViewport();
    await shop.purchase.expectGone();
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
    await expect(shop.pass("QuillBot").getByRole("link", { name: "Open" })).toBeInViewport();
    expect(await listGatewayPayments(gateway, email)).toMatchObject([
      { status: "captured", amountPaise: 9900 },
    ]);
  });
});
