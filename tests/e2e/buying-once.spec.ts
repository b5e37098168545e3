import { expect } from "@playwright/test";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { countCaptures, listPurchases, readStock } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { signInAsNewUser } from "./test-users.ts";

const TOOL = "Amazon Prime";
const PRICE = "₹89";
const passRow = { tool: TOOL, status: "completed", stock: "used", days: 30, amount: 8900 };
/** The second tool of a buyer who has the first. */
const SECOND_TOOL = "QuillBot";
const SECOND_PRICE = "₹99";
const secondRow = { tool: SECOND_TOOL, status: "completed", stock: "used", days: 30, amount: 9900 };

/** A second tab of the same browser. */
async function openSecondTab(shop: ShopPage): Promise<ShopPage> {
  const tab = new ShopPage(await shop.page.context().newPage());
  await tab.open("/");
  return tab;
}

async function choosePass(shop: ShopPage, tool = TOOL): Promise<void> {
  await shop.openPurchase(tool);
  await shop.purchase.option("30 Days").check();
}

test("a double click on Pay buys one pass, and the page reloads its data once for its stock and once after the purchase", async ({
  shop,
  page,
}) => {
  const before = await readStock("amazon-prime");
  const { email } = await signInAsNewUser(page);
  const starts: string[] = [];
  const loads: string[] = [];
  await shop.open("/");
  await choosePass(shop);
  page.on("request", (request) => {
    if (request.url().endsWith("/checkout/start")) starts.push(request.url());
    if (new URL(request.url()).pathname.endsWith(".data")) loads.push(request.url());
  });
  await shop.purchase.pay(PRICE).dblclick();
  await expect(shop.purchase.gatewayButton("Pay")).toBeVisible();
  // The checkout holds one of the stock, which every open home page shows.
  await expect.poll(() => loads.length).toBe(1);
  await shop.purchase.gatewayButton("Pay").dblclick();
  await shop.purchase.expectSuccess();
  expect(starts).toHaveLength(1);
  expect(await listPurchases(email)).toEqual([passRow]);
  expect(await countCaptures(email)).toBe(1);
  expect(await readStock("amazon-prime")).toBe(before - 1);

  // The catalogue behind the dialog is loaded again, then the page of the tool.
  await shop.purchase.expectToolPage("amazon-prime");
  expect(loads).toHaveLength(3);
});

test("two tabs buy one pass of a tool: one shows what the other has bought, or pays at the same time", async ({
  shop,
}) => {
  const { email } = await signInAsNewUser(shop.page);
  await shop.open("/");
  const other = await openSecondTab(shop);
  await test.step("a second tab shows that the tool is already bought", async () => {
    const before = await readStock("amazon-prime");
    await choosePass(other);
    await expect(other.purchase.pay(PRICE)).toBeEnabled();
    await choosePass(shop);
    await shop.purchase.openGateway(PRICE);
    await shop.purchase.gatewayButton("Pay").click();
    await shop.purchase.expectSuccess();

    await expect(
      other.purchase.root.getByRole("heading", { name: "You already have access to this tool!" }),
    ).toBeVisible();
    await expect(other.purchase.pay(PRICE)).toHaveCount(0);
    await expect(other.purchase.root.getByRole("link", { name: `Open ${TOOL}` })).toBeVisible();
    expect(await listPurchases(email)).toEqual([passRow]);
    expect(await readStock("amazon-prime")).toBe(before - 1);
  });
  await test.step("two tabs that pay at the same time buy one pass", async () => {
    const before = await readStock("quillbot");
    await other.page.keyboard.press("Escape");
    await shop.purchase.expectToolPage("amazon-prime");
    await other.purchase.expectGone();
    await shop.open("/");
    for (const tab of [shop, other]) {
      await choosePass(tab, SECOND_TOOL);
      await tab.purchase.openGateway(SECOND_PRICE);
    }
    await Promise.all([shop, other].map((tab) => tab.purchase.gatewayButton("Pay").click()));
    for (const tab of [shop, other]) {
      await expect(tab.page.locator('iframe[title="Test payment"]')).toHaveCount(0);
      await tab.purchase.expectGone();
    }
    await shop.open("/dashboard");
    await expect(shop.pass(SECOND_TOOL)).toHaveCount(1);
    expect(await listPurchases(email)).toEqual([passRow, secondRow]);
    expect(await countCaptures(email)).toBe(2);
    expect(await readStock("quillbot")).toBe(before - 1);
  });
});

test("a page that is loaded again during a payment goes on with it", async ({ shop, page }) => {
  const { email } = await signInAsNewUser(page);
  await shop.open("/");
  await test.step("a reload during the payment continues with the same order", async () => {
    const before = await readStock("amazon-prime");
    const unfinished = shop.purchase.root.getByText(/^A payment of .* was not finished\./);
    await choosePass(shop);
    await expect(unfinished).toHaveCount(0);
    await shop.purchase.openGateway(PRICE);
    const order = await shop.purchase.gateway.getByText(/^order_/).textContent();
    await shop.reload();
    expect(await readStock("amazon-prime")).toBe(before - 1);

    await choosePass(shop);
    await expect(unfinished).toBeInViewport({ ratio: 1 });
    await expect(unfinished).toHaveText(
      /^A payment of ₹\d+ from \d\d:\d\d was not finished\. If you did pay, your pass appears by itself\.$/,
    );
    await expect(unfinished).toContainText(PRICE);
    await takeScreenshot(page, "sheet of an unfinished payment");
    await shop.purchase.openGateway(PRICE);
    await expect(shop.purchase.gateway.getByText(/^order_/)).toHaveText(order ?? "");

    await shop.purchase.gatewayButton("Fail").click();
    await expect(shop.purchase.gateway.getByText(/The bank declined the payment/)).toBeVisible();
    const orders = page.getByRole("list", { name: "Orders" }).getByRole("listitem");
    // The gateway's webhook may arrive later than the page.
    await expect(async () => {
      await shop.open("/account");
      await expect(orders).toContainText(["Payment declined"], { timeout: 500 });
    }).toPass();
    await shop.open("/dashboard");
    await expect(
      page.getByText(`Payment declined · Amazon Prime, ${PRICE}. You can pay again.`),
    ).toBeVisible();
    await page.goBack();
    await takeScreenshot(page, "order whose payment was declined");
    await orders.getByRole("button", { name: "Continue with Amazon Prime" }).click();
    await expect(shop.purchase.root.getByText(/^A payment of .* was declined\./)).toHaveText(
      /^A payment of ₹\d+ from \d\d:\d\d was declined\. You can pay again\.$/,
    );
    await takeScreenshot(page, "sheet of a declined payment");
    await shop.purchase.openGateway(PRICE);
    await expect(shop.purchase.gateway.getByText(/^order_/)).toHaveText(order ?? "");
    await shop.purchase.gatewayButton("Pay").click();
    await shop.purchase.expectSuccess();
    expect(await listPurchases(email)).toEqual([passRow]);
    expect(await countCaptures(email)).toBe(1);
    expect(await readStock("amazon-prime")).toBe(before - 1);
    await shop.purchase.expectToolPage("amazon-prime");
  });
  await shop.open("/");
  await test.step("a page that is loaded again during the payment tells once that it succeeded", async () => {
    await choosePass(shop, SECOND_TOOL);
    await shop.purchase.openGateway(SECOND_PRICE);
    // The buyer pays in another app while the browser loads the page again.
    const checkout = await page.context().newPage();
    await checkout.goto((await page.locator('iframe[title="Test payment"]').getAttribute("src")) ?? "");
    await shop.reload();
    const bar = page.getByRole("region", { name: "Your purchase" });
    await expect(bar).toContainText(`${SECOND_TOOL}: your payment isn’t finished`);
    await takeScreenshot(page, "payment that is not finished");
    await bar.getByRole("button", { name: `Continue with ${SECOND_TOOL}` }).click();
    await expect(shop.purchase.root.getByText(/was not finished/)).toBeVisible();
    await shop.reload();
    await checkout.getByRole("button", { name: "Pay", exact: true }).click();
    await expect(checkout.getByText("Paid. You can go back to the shop.")).toBeVisible();
    await expect(bar).toContainText(`${SECOND_TOOL} until`);
    await expectAccessible(page, "what was bought");
    await bar.getByRole("button", { name: "Dismiss", exact: true }).click();
    await expect(bar).toHaveCount(0);
    await expect(page.getByRole("button", { name: `Open ${SECOND_TOOL}` })).toBeVisible();
    await shop.reload();
    await expect(page.getByRole("button", { name: `Open ${SECOND_TOOL}` })).toBeVisible();
    await expect(bar).toHaveCount(0);
  });
});
