import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { expirePasses, setOnSale } from "./shop-database.ts";
import { buyPass, post, signInAsNewUser } from "./test-users.ts";

test("signed out, the dashboard redirects home and contains no data", async ({ shop }) => {
  const response = await shop.page.request.get("/dashboard", { maxRedirects: 0 });
  expect(response.status()).toBe(302);
  expect(response.headers().location).toBe("/");
  expect(await response.text()).not.toContain("My Tools");
  await shop.page.goto("/dashboard");
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.cards).toHaveCount(12);
});

test("the dashboard without passes shows the empty state", async ({ shop }) => {
  const { email } = await signInAsNewUser(shop.page);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expect(shop.page.getByText(email, { exact: true })).toBeVisible();
  await shop.page.getByRole("link", { name: "Purchase Tools" }).click();
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.cards).toHaveCount(12);
});

test("the dashboard of a buyer links to support", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  for (const path of ["/dashboard", "/tools/canva", "/tools/quillbot"]) {
    await shop.open(path);
    const help = page.getByRole("link", { name: "Need help? Write to us" });
    await expect(help).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+\?text=Hello/);
  }
});

test("the dashboard shows all passes of the user and none of others", async ({ shop, openOtherBrowser }) => {
  const other = await openOtherBrowser();
  await signInAsNewUser(other.page);
  await buyPass(other.page, "canva", "7 Days");
  await signInAsNewUser(shop.page);
  await buyPass(shop.page, "quillbot", "90 Days");
  await buyPass(shop.page, "aihumanizer", "7 Days");
  await shop.open("/dashboard");
  await expect(shop.page.getByText("Active", { exact: true })).toHaveCount(2);
  await expect(shop.pass("QuillBot").getByText(/^90 days left$/)).toBeVisible();
  await expect(shop.pass("Canva")).toHaveCount(0);
  await shop.pass("AI Humanizer").getByRole("link", { name: "Open" }).click();
  await expect(shop.page).toHaveURL(/\/aihumanizer$/);
  for (const server of ["Write Human", "Stealth Writer", "Hix AI"]) {
    await expect(shop.server(server).getByRole("button", { name: "Click" })).toBeVisible();
  }
});

test("an open dashboard is left when its session ends elsewhere", async ({ shop }) => {
  await signInAsNewUser(shop.page);
  await shop.open("/dashboard");
  expect((await post(shop.page, "/api/auth/sign-out", {})).ok()).toBe(true);
  // The event that a browser fires when the tab becomes visible again.
  await expect(async () => {
    await shop.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(shop.cards).toHaveCount(12, { timeout: 2000 });
  }).toPass();
  await expect(shop.page).toHaveURL(/\/$/);
});

test("a pass that ends within a day says when, and after its end its card offers to renew it", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await buyPass(page, "quillbot", "7 Days");
  await expirePasses(email, new Date(Date.now() + 2 * 60 * 60_000));
  await shop.open("/dashboard");
  await expect(shop.pass("Canva").getByText(/^Ends (today|tomorrow) \d\d:\d\d$/)).toBeVisible();
  await expect(shop.pass("Canva").getByText("Active", { exact: true })).toBeVisible();

  await expirePasses(email, new Date(Date.now() - 60_000));
  await shop.reload();
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expect(page.getByText("Expired", { exact: true })).toHaveCount(2);
  await expect(page.getByRole("link", { name: "Renew Access to QuillBot" })).toBeVisible();
  const purchase = await page.getByRole("link", { name: "Purchase Tools" }).evaluate(colourOf);
  const renew = await page.getByRole("link", { name: "Renew Access to Canva" }).evaluate(colourOf);
  expect(renew).not.toBe(purchase);
});

test("an expired pass of a tool that is no longer sold leads to the shop instead of offering to renew it", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await buyPass(page, "quillbot", "7 Days");
  await expirePasses(email, new Date(Date.now() - 60_000));
  await setOnSale("quillbot", false);
  try {
    await shop.open("/dashboard");
    await expect(page.getByRole("link", { name: "Renew Access to Canva" })).toBeVisible();
    const card = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "QuillBot", level: 3 }) });
    await expect(card.getByText("This pass is no longer sold.")).toBeVisible();
    await expect(card.getByRole("link", { name: /^Renew Access/ })).toHaveCount(0);
    await expectAccessible(page, "dashboard off sale", "main");
    await card.getByRole("link", { name: "See other tools" }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(shop.cards).toHaveCount(11);
    await shop.open("/tools/quillbot");
    await expect(page.getByText("This pass is no longer sold.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Renew Access to QuillBot" })).toHaveCount(0);
  } finally {
    await setOnSale("quillbot", true);
  }
});

function colourOf(element: Element): string {
  return getComputedStyle(element).backgroundColor;
}

test("a checkout that was left after a declined payment says so until it is dismissed, and its order says why", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signInAsNewUser(page);
  await shop.open("/");
  await shop.openPurchase("Canva");
  await shop.purchase.option("7 Days").check();
  await shop.purchase.openGateway("₹49");
  await shop.purchase.gatewayButton("Fail").click();
  await expect(shop.purchase.gateway.getByText("The bank declined the payment.")).toBeVisible();
  await shop.open("/dashboard");
  const notice = page.getByRole("status").filter({ hasText: "Checkout not finished · Canva" });
  await expect(notice).toBeVisible();
  await page.getByRole("button", { name: "Dismiss the checkout of Canva" }).click();
  await expect(notice).toHaveCount(0);
  await shop.reload();
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expect(notice).toHaveCount(0);
  await shop.open("/account");
  const order = page.getByRole("list", { name: "Orders" }).getByRole("listitem");
  await expect(order).toContainText("Payment declined");
  await expect(order).toContainText("Your payment was declined by the bank.");
});
