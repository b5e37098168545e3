import { type BrowserContext, expect } from "@playwright/test";
import { expectOnlyLostRequests } from "./fixtures.ts";
import { expireHolds, listOrderIds, listRefunds, setStock } from "./payment-records.ts";
import { GatewayWindow, listGatewayPayments, openGatewayWindow, test } from "./razorpay-fixtures.ts";
import { WEBHOOK_SECRETS } from "./razorpay-shop.ts";
import { countCaptures, listMails, listPurchases, readStock } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { signInAsNewUser } from "./test-users.ts";

const humanizer = { tool: "AI Humanizer", option: "7 Days", price: "₹99" };
const pass = { tool: "AI Humanizer", status: "completed", stock: "used", days: 7, amount: 9900 };

/** Blocks the confirmation that the browser sends after a payment. */
async function blockConfirmation(context: BrowserContext): Promise<void> {
  await context.route("**/checkout/confirm", (route) => route.abort());
}

test("a payment becomes a pass without the confirmation of the page: by polling, or by a webhook when the page is closed", async ({
  shop,
  gateway,
  browserErrors,
}) => {
  const { email } = await signInAsNewUser(shop.page);
  const context = shop.page.context();
  await blockConfirmation(context);
  await test.step("the open page polls until it shows the pass when confirmation and webhooks are lost", async () => {
    gateway.webhooks.configure({ mode: "drop" });
    await (await openGatewayWindow(shop, humanizer)).pay();
    await shop.purchase.expectSuccess();
    expect(await listPurchases(email)).toEqual([pass]);
    expect(await listGatewayPayments(gateway, email)).toMatchObject([
      { status: "captured", amountPaise: 9900 },
    ]);
    expectOnlyLostRequests(browserErrors);
    await shop.purchase.expectGone();
  });
  await shop.open("/");
  await test.step("a webhook creates the pass when the page is closed right after paying", async () => {
    // Signed with the secret that is being rotated out.
    gateway.webhooks.configure({ mode: "hold", secret: WEBHOOK_SECRETS.last });
    const earlierEvents = gateway.webhooks.events().length;
    await shop.openPurchase("QuillBot");
    await shop.purchase.option("7 Days").check();
    await shop.purchase.pay("₹39").click();
    await new GatewayWindow(shop).pay();
    await expect
      .poll(() => listGatewayPayments(gateway, email))
      .toMatchObject([{ status: "captured" }, { status: "captured" }]);
    await shop.page.close();
    expect(await listPurchases(email)).toMatchObject([{ status: "completed" }, { status: "pending" }]);

    const eventIds = gateway.webhooks
      .events()
      .slice(earlierEvents)
      .map(({ id }) => id);
    const deliveries = await gateway.webhooks.deliver({ eventIds });
    expect(deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect
      .poll(() => listPurchases(email))
      .toEqual([pass, { ...pass, tool: "QuillBot", amount: 3900 }]);
    const reopened = new ShopPage(await context.newPage());
    await reopened.open("/dashboard");
    await expect(reopened.pass("QuillBot").getByText("Active", { exact: true })).toBeVisible();
    expect(await countCaptures(email)).toBe(2);
    expectOnlyLostRequests(browserErrors);
  });
});

test("the next start settles an unreported payment and expires a hold, whose late payment is not captured", async ({
  shop,
  openOtherBrowser,
  gateway,
  razorpayShop,
  browserErrors,
}) => {
  gateway.webhooks.configure({ mode: "drop" });
  const before = await readStock("premium-netflix-access");
  const firstBuyer = await signInAsNewUser(shop.page);
  await blockConfirmation(shop.page.context());
  await (await openGatewayWindow(shop, humanizer)).pay();
  await expect
    .poll(() => listGatewayPayments(gateway, firstBuyer.email))
    .toMatchObject([{ status: "captured" }]);
  await shop.page.goto("about:blank");

  const otherShop = await openOtherBrowser();
  const secondBuyer = await signInAsNewUser(otherShop.page);
  await openGatewayWindow(otherShop, { tool: "Premium Netflix Access", option: "7 Days", price: "₹79" });
  const [orderId = ""] = await listOrderIds(secondBuyer.email);
  const { paymentId } = gateway.startPayment(orderId);
  await otherShop.page.goto("about:blank");
  expect(await readStock("premium-netflix-access")).toBe(before - 1);
  expect(await listPurchases(firstBuyer.email)).toMatchObject([{ status: "pending" }]);

  await expireHolds(secondBuyer.email);
  await razorpayShop.restart();
  await expect.poll(() => listPurchases(firstBuyer.email)).toEqual([pass]);
  await shop.open("/dashboard");
  await expect(shop.pass("AI Humanizer").getByText("Active", { exact: true })).toBeVisible();
  await expect
    .poll(() => listPurchases(secondBuyer.email))
    .toMatchObject([{ status: "failed", stock: "released" }]);
  expect(await readStock("premium-netflix-access")).toBe(before);

  // The bank authorises late, and the stock is sold out meanwhile.
  await setStock("premium-netflix-access", 0);
  gateway.webhooks.configure({ mode: "at-once" });
  gateway.authorizeNow(paymentId);
  await expect.poll(async () => (await listMails(secondBuyer.email)).length).toBe(1);
  expect(await listRefunds(secondBuyer.email)).toEqual([]);
  expect(gateway.paymentsOf(orderId)).toMatchObject([{ status: "authorized", captured: false, refunds: [] }]);
  expect(await listPurchases(secondBuyer.email)).toMatchObject([{ status: "failed", stock: "released" }]);
  expect(await readStock("premium-netflix-access")).toBe(0);
  await otherShop.open("/dashboard");
  await expect(
    otherShop.page.getByText("₹79 not taken · The tool was sold out when the payment arrived."),
  ).toBeVisible();
  await expect(otherShop.heading("No Tools Available")).toBeVisible();
  const [mail] = await listMails(secondBuyer.email);
  expect(mail?.subject).toBe("We didn’t take your payment of ₹79 for Premium Netflix Access");
  expect(mail?.text).toContain("The tool was sold out when the payment arrived.");
  await setStock("premium-netflix-access", before);
  expectOnlyLostRequests(browserErrors);
});
