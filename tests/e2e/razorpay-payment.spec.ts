import { expect, type Locator } from "@playwright/test";
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
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const hix = { tool: "HIX AI Assistant", option: "7 Days", price: "₹69" };
const prime = { tool: "Amazon Prime", option: "30 Days", price: "₹89" };
const quillbot = { tool: "QuillBot", option: "30 Days", price: "₹99" };
const canva = { tool: "Canva", option: "7 Days", price: "₹49" };
const PAGES = ["/", "/dashboard", "/tools/canva", "/admin/login", "/no/such/page"];
const BADGE = "Test payments";

/** The sources of Razorpay in a content security policy, by directive. */
function gatewaySources(policy: string): Record<string, string[]> {
  const directives = policy.split("; ").map((directive) => directive.split(" "));
  const named = directives.map(
    ([name, ...sources]) => [name, sources.filter((source) => source.includes("razorpay"))] as const,
  );
  return Object.fromEntries(named.filter(([, sources]) => sources.length > 0));
}

async function signInAsAdmin(admin: ShopPage): Promise<void> {
  await admin.open("/admin/login");
  await admin.page.getByLabel("Email").fill("admin@example.com");
  await admin.page.getByLabel("Password").fill(ADMIN_PASSWORD);
  await admin.page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(admin.heading("Admin Dashboard")).toBeVisible();
}

function findRevenueFigure({ page }: ShopPage): Locator {
  return page.locator("dt", { hasText: "Total Revenue" }).locator("+ dd");
}

test("a visitor signs up, pays exactly the shown price at Razorpay and opens the tool", async ({
  shop,
  page,
  gateway,
}) => {
  const before = await readStock("canva");
  await test.step("the policy of every page allows what the Razorpay checkout loads", async () => {
    for (const path of PAGES) {
      const headers = (await page.request.get(path, { maxRedirects: 0 })).headers();
      const policy = headers["content-security-policy"] ?? "";
      expect(gatewaySources(policy), path).toEqual({
        "script-src": ["https://checkout.razorpay.com", "https://cdn.razorpay.com"],
        "connect-src": [
          "https://api.razorpay.com",
          "https://lumberjack.razorpay.com",
          "https://lumberjack-cx.razorpay.com",
          "https://lumberjack-metrics.razorpay.com",
        ],
        "frame-src": ["https://api.razorpay.com"],
        "form-action": ["https://api.razorpay.com"],
      });
      expect(policy, path).toMatch(/script-src 'self'(?: '(?:nonce|sha256)-[^']{16,}')+ https:/);
    }
  });
  const answered = new Set<string>();
  page.on("response", (response) => answered.add(new URL(response.url()).hostname));
  const email = newEmail();
  await shop.open("/");
  await shop.choose("Canva");
  await shop.signIn.createAccount({ email, password: PASSWORD });
  await shop.purchase.option("30 Days").check();
  await expect(shop.purchase.notice("UPI · Cards · Secured by Razorpay")).toBeVisible();
  await shop.purchase.pay("₹119").click();
  const window = new GatewayWindow(shop);
  await expect(window.content.getByRole("heading", { name: "Pay INR 119.00" })).toBeVisible();
  expect(await listPurchases(email)).toMatchObject([{ status: "pending", stock: "held" }]);
  expect(await readStock("canva")).toBe(before - 1);

  await window.pay();
  await shop.purchase.expectSuccess();
  for (const name of ["checkout", "api", "cdn", "lumberjack", "lumberjack-cx", "lumberjack-metrics"]) {
    await expect.poll(() => [...answered]).toContain(`${name}.razorpay.com`);
  }
  expect(await listGatewayPayments(gateway, email)).toMatchObject([
    { status: "captured", amountPaise: 11_900, currency: "INR", refundedPaise: 0 },
  ]);
  expect(await listPurchases(email)).toEqual([
    { tool: "Canva", status: "completed", stock: "used", days: 30, amount: 11_900 },
  ]);
  await shop.purchase.expectToolPage("canva");
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();

  // The three webhooks of the payment change nothing.
  await gateway.webhooks.untilIdle();
  expect(await countCaptures(email)).toBe(1);
  expect(await readStock("canva")).toBe(before - 1);
});

test("a buyer closes the Razorpay window, is declined and pays, and each press of Pay and each tab buys one pass", async ({
  shop,
  page,
  gateway,
}) => {
  const { email } = await signInAsNewUser(page);
  await test.step("closing the Razorpay window releases the stock and shows that nothing was charged", async () => {
    const before = await readStock("hix-ai-assistant");
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
  await test.step("a second attempt after a declined payment pays the same order", async () => {
    await shop.purchase.pay(hix.price).click();
    const window = new GatewayWindow(shop);
    await window.waitForHydration();
    const orders = await listOrderIds(email);
    await window.button("Fail").click();
    await expect(window.content.getByText(/declined by the bank/)).toBeVisible();
    expect(await listPurchases(email)).toMatchObject([
      { status: "failed" },
      { status: "pending", stock: "held" },
    ]);
    await window.button("Pay").click();
    await shop.purchase.expectSuccess();
    expect(await listOrderIds(email)).toEqual(orders);
    expect(await listGatewayPayments(gateway, email)).toMatchObject([
      { status: "failed" },
      { status: "captured" },
    ]);
    expect(await listPurchases(email)).toMatchObject([
      { status: "failed" },
      { status: "completed", stock: "used" },
    ]);
    await shop.purchase.expectToolPage("hix-ai-assistant");
  });
  await shop.open("/");
  await test.step("a double click on Pay creates one order", async () => {
    const ordersBefore = gateway.faults.count("create-order");
    await shop.openPurchase(prime.tool);
    await shop.purchase.option(prime.option).check();
    await shop.purchase.pay(prime.price).dblclick();
    const window = new GatewayWindow(shop);
    await window.waitForHydration();
    await window.button("Pay").dblclick();
    await shop.purchase.expectSuccess();
    expect(gateway.faults.count("create-order")).toBe(ordersBefore + 1);
    expect((await listGatewayPayments(gateway, email)).slice(2)).toMatchObject([
      { status: "captured", amountPaise: 8900 },
    ]);
    expect((await listPurchases(email)).slice(2)).toHaveLength(1);
    await shop.purchase.expectToolPage("amazon-prime");
  });
  await shop.open("/");
  await test.step("a tool that is paid in one tab is owned in the other", async () => {
    const other = new ShopPage(await page.context().newPage());
    await choosePass(other, quillbot);
    await expect(other.purchase.pay(quillbot.price)).toBeEnabled();
    // A tab in the background may not pass a click on to the window's frame.
    await page.bringToFront();
    await shop.openPurchase(quillbot.tool);
    await shop.purchase.option(quillbot.option).check();
    await shop.purchase.pay(quillbot.price).click();
    await new GatewayWindow(shop).pay();
    await shop.purchase.expectSuccess();
    await expect(
      other.purchase.root.getByRole("heading", { name: "You already have access to this tool!" }),
    ).toBeVisible();
    await expect(other.purchase.pay(quillbot.price)).toHaveCount(0);
    expect((await listPurchases(email)).slice(3)).toMatchObject([{ status: "completed" }]);
    expect((await listGatewayPayments(gateway, email)).slice(3)).toHaveLength(1);
  });
});

test.describe(() => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("a pass is bought in the Razorpay window on a phone", async ({ shop, page, gateway }) => {
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
    await shop.purchase.expectToolPage("quillbot");
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
    await expect(shop.pass("QuillBot").getByRole("link", { name: "Open" })).toBeInViewport();
    expect(await listGatewayPayments(gateway, email)).toMatchObject([
      { status: "captured", amountPaise: 9900 },
    ]);
  });
});

// Last, because it restarts the shop with other keys.
test("test mode is shown on every page, and test passes neither open tools nor count as revenue with live keys", async ({
  shop,
  page,
  openOtherBrowser,
  razorpayShop,
}) => {
  const admin = await openOtherBrowser();
  const badge = page.getByText(BADGE, { exact: true });
  const { email } = await signInAsNewUser(page);
  await (await openGatewayWindow(shop, canva)).pay();
  await shop.purchase.expectSuccess();
  for (const path of PAGES) expect(await (await page.request.get(path)).text(), path).toContain(BADGE);
  await shop.open("/tools/canva");
  await expect(badge).toBeVisible();
  await expect(shop.server("Server 1")).toBeVisible();
  await signInAsAdmin(admin);
  await expect(findRevenueFigure(admin)).toHaveText("₹0");

  // Loading pages would send requests to the stopped shop.
  await page.goto("about:blank");
  await admin.page.goto("about:blank");
  await razorpayShop.useKeys("live");
  for (const path of PAGES) expect(await (await page.request.get(path)).text(), path).not.toContain(BADGE);
  expect((await page.goto("/tools/canva"))?.status()).toBe(403);
  await expect(shop.heading("Access Required")).toBeVisible();
  await expect(badge).toHaveCount(0);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();

  await (await openGatewayWindow(shop, canva)).pay();
  await shop.purchase.expectSuccess();
  expect(await listGatewayPayments(razorpayShop.gateway, email)).toMatchObject([
    { status: "captured", amountPaise: 4900 },
  ]);
  expect(await listPurchases(email)).toMatchObject([{ status: "completed" }, { status: "completed" }]);
  await shop.open("/tools/canva");
  await expect(shop.server("Server 1")).toBeVisible();
  await admin.open("/admin");
  await expect(findRevenueFigure(admin)).toHaveText("₹49");
});
