import { type BrowserContext, expect } from "@playwright/test";
import { orderIdsOf, passTheHoldOf, refundsOf, setStock } from "./payment-records.ts";
import { becomeUser } from "./people.ts";
import { goToWindow, paymentsAt, test } from "./real-journey.ts";
import { WEBHOOK_SECRETS } from "./real-shop.ts";
import { capturesOf, mailsTo, purchasesOf, stockOf } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";

const humanizer = { tool: "AI Humanizer", option: "7 Days", price: "₹99" };
const pass = { tool: "AI Humanizer", status: "completed", stock: "used", days: 7, amount: 9900 };

/** What the browser would tell the shop after a payment gets lost on the way. */
async function loseCallback(context: BrowserContext): Promise<void> {
  await context.route("**/checkout/confirm", (route) => route.abort());
}

/** The requests that were lost on purpose show in the browser; nothing else may. */
function expectOnlyLostRequests(faults: string[]): void {
  expect(faults.filter((fault) => !fault.includes("net::ERR_FAILED"))).toEqual([]);
  faults.length = 0;
}

test("the page is closed right after paying, and a webhook brings the pass", async ({
  shop,
  gateway,
  faults,
}) => {
  const { email } = await becomeUser(shop.page);
  const context = shop.page.context();
  await loseCallback(context);
  // Signed with the secret that is being replaced.
  gateway.webhooks.configure({ mode: "hold", secret: WEBHOOK_SECRETS.last });
  const told = gateway.webhooks.events().length;
  await (await goToWindow(shop, humanizer)).pay();
  await expect.poll(() => paymentsAt(gateway, email)).toMatchObject([{ status: "captured" }]);
  await shop.page.close();
  expect(await purchasesOf(email)).toMatchObject([{ status: "pending" }]);

  const eventIds = gateway.webhooks
    .events()
    .slice(told)
    .map(({ id }) => id);
  const deliveries = await gateway.webhooks.deliver({ eventIds });
  expect(deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
  await expect.poll(() => purchasesOf(email)).toEqual([pass]);
  const later = new ShopPage(await context.newPage());
  await later.open("/dashboard");
  await expect(later.pass("AI Humanizer").getByText("Active", { exact: true })).toBeVisible();
  expect(await capturesOf(email)).toBe(1);
  expectOnlyLostRequests(faults);
});

test("callback and webhooks lost, the open page asks until it knows", async ({ shop, gateway, faults }) => {
  const { email } = await becomeUser(shop.page);
  await loseCallback(shop.page.context());
  gateway.webhooks.configure({ mode: "drop" });
  await (await goToWindow(shop, humanizer)).pay();
  await expect(shop.purchase.success).toBeVisible();
  expect(await purchasesOf(email)).toEqual([pass]);
  expect(await paymentsAt(gateway, email)).toMatchObject([{ status: "captured", amountPaise: 9900 }]);
  expectOnlyLostRequests(faults);
});

test("the next start finds a payment nobody told of, and ends a hold whose late payment is not captured", async ({
  shop,
  newcomer,
  gateway,
  realShop,
  faults,
}) => {
  gateway.webhooks.configure({ mode: "drop" });
  const before = await stockOf("premium-netflix-access");
  const asha = await becomeUser(shop.page);
  await loseCallback(shop.page.context());
  await (await goToWindow(shop, humanizer)).pay();
  await expect.poll(() => paymentsAt(gateway, asha.email)).toMatchObject([{ status: "captured" }]);
  await shop.page.goto("about:blank");

  const late = await newcomer();
  const ravi = await becomeUser(late.page);
  await goToWindow(late, { tool: "Premium Netflix Access", option: "7 Days", price: "₹79" });
  const [orderId = ""] = await orderIdsOf(ravi.email);
  const { paymentId } = gateway.payLate(orderId);
  await late.page.goto("about:blank");
  expect(await stockOf("premium-netflix-access")).toBe(before - 1);
  expect(await purchasesOf(asha.email)).toMatchObject([{ status: "pending" }]);

  await passTheHoldOf(ravi.email);
  await realShop.restart();
  await expect.poll(() => purchasesOf(asha.email)).toEqual([pass]);
  await shop.open("/dashboard");
  await expect(shop.pass("AI Humanizer").getByText("Active", { exact: true })).toBeVisible();
  await expect.poll(() => purchasesOf(ravi.email)).toMatchObject([{ status: "failed", stock: "released" }]);
  expect(await stockOf("premium-netflix-access")).toBe(before);

  // The bank says yes after all, and the others have bought the rest meanwhile.
  await setStock("premium-netflix-access", 0);
  gateway.webhooks.configure({ mode: "at-once" });
  gateway.authorizeNow(paymentId);
  await expect.poll(async () => (await mailsTo(ravi.email)).length).toBe(1);
  expect(await refundsOf(ravi.email)).toEqual([]);
  expect(gateway.paymentsOf(orderId)).toMatchObject([{ status: "authorized", captured: false, refunds: [] }]);
  expect(await purchasesOf(ravi.email)).toMatchObject([{ status: "failed", stock: "released" }]);
  expect(await stockOf("premium-netflix-access")).toBe(0);
  await late.open("/dashboard");
  await expect(
    late.page.getByText("₹79 not taken · The tool was sold out when the payment arrived."),
  ).toBeVisible();
  await expect(late.heading("No Tools Available")).toBeVisible();
  const [mail] = await mailsTo(ravi.email);
  expect(mail?.subject).toBe("Your payment of ₹79 for Premium Netflix Access was not taken");
  expect(mail?.text).toContain("The tool was sold out when the payment arrived.");
  await setStock("premium-netflix-access", before);
  expectOnlyLostRequests(faults);
});
