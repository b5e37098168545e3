import { expect, type Locator } from "@playwright/test";
import { listGatewayPayments, openGatewayWindow, test } from "./razorpay-fixtures.ts";
import { listPurchases } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { signInAsNewUser } from "./test-users.ts";

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

test("the policy of every page allows what the Razorpay checkout loads", async ({ shop, page }) => {
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
  const answered = new Set<string>();
  page.on("response", (response) => answered.add(new URL(response.url()).hostname));
  await signInAsNewUser(page);
  await (await openGatewayWindow(shop, canva)).pay();
  await shop.purchase.expectSuccess();
  for (const name of ["checkout", "api", "cdn", "lumberjack", "lumberjack-cx", "lumberjack-metrics"]) {
    await expect.poll(() => [...answered]).toContain(`${name}.razorpay.com`);
  }
});

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
