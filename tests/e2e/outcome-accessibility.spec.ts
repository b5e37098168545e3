import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import type { ShopPage } from "./shop-page.ts";
import { signInAsNewUser } from "./test-users.ts";

const DIALOG = '[role="dialog"]';
const SOLD_OUT = "The tool was sold out when the payment arrived.";

/** Pays for a tool; the shop's answer to the confirmation is `answer`. */
async function payWithAnswer(shop: ShopPage, tool: string, price: string, answer: object): Promise<void> {
  const json = { ok: true, ...answer };
  await shop.page.route("**/checkout/confirm", (route) => route.fulfill({ json }));
  await shop.open("/");
  await shop.openPurchase(tool);
  await shop.purchase.option("7 Days").check();
  await shop.purchase.openGateway(price);
  await shop.purchase.gatewayButton("Pay").click();
}

/** Lets the time of the page pass until the dialog has stopped polling. */
async function waitForLateOutcome(shop: ShopPage, title: string): Promise<void> {
  await expect(async () => {
    await shop.page.clock.fastForward(10_000);
    await expect(shop.purchase.root.getByRole("heading", { name: title })).toBeVisible({ timeout: 200 });
  }).toPass({ intervals: [100] });
}

test("the outcomes of a payment that became no pass are accessible", async ({ shop, page }) => {
  await signInAsNewUser(page);
  const outcomes = [
    ["QuillBot", "₹39", { state: "refunded", reason: SOLD_OUT }, "Your payment is being refunded"],
    ["Canva", "₹49", { state: "not-taken", reason: SOLD_OUT }, "Your payment was not taken"],
    ["AI Humanizer", "₹99", { state: "cancelled" }, "The shop has cancelled this purchase"],
  ] as const;
  for (const [tool, price, answer, title] of outcomes) {
    await payWithAnswer(shop, tool, price, answer);
    await expect(shop.purchase.root.getByRole("heading", { name: title })).toBeVisible();
    await expectAccessible(page, `purchase ${answer.state}`, DIALOG);
  }
});

test("the outcomes of a payment that nobody confirms are accessible", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);
  await page.clock.install();
  await page.route("**/checkout/status?*", (route) =>
    route.fulfill({ json: { ok: true, state: "confirming" } }),
  );
  await payWithAnswer(shop, "QuillBot", "₹39", { state: "confirming" });
  await waitForLateOutcome(shop, "Your bank hasn’t answered yet");
  await expectAccessible(page, "purchase late", DIALOG);

  await page.route("**/checkout/status?*", (route) => route.abort());
  await payWithAnswer(shop, "Canva", "₹49", { state: "confirming" });
  await waitForLateOutcome(shop, "The shop cannot be reached");
  await expectAccessible(page, "purchase late unreachable", DIALOG);
  // The browser reports the requests without an answer.
  expect(browserErrors.filter((error) => !error.includes("net::ERR_FAILED"))).toEqual([]);
  browserErrors.length = 0;
});

test("the purchase dialog of a tool that is missing, or of a shop out of reach, is accessible", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);
  await shop.open("/");
  await page.evaluate(() =>
    window.dispatchEvent(new CustomEvent("openPaymentModal", { detail: { name: "No such tool", price: 1 } })),
  );
  await expect(shop.purchase.root.getByRole("heading", { name: "Tool not found" })).toBeVisible();
  await expectAccessible(page, "purchase missing", DIALOG);

  await page.route("**/checkout/offer?*", (route) => route.abort());
  await shop.open("/");
  await shop.openPurchase("QuillBot");
  await expect(shop.purchase.root.getByRole("heading", { name: "The shop cannot be reached" })).toBeVisible();
  await expectAccessible(page, "purchase unreachable", DIALOG);
  // The browser reports the requests without an answer.
  expect(browserErrors.filter((error) => !error.includes("net::ERR_FAILED"))).toEqual([]);
  browserErrors.length = 0;
});
