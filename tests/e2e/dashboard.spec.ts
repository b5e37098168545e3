import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { expirePasses, readExpiry, setOnSale } from "./shop-database.ts";
import { accessUntil, shopDate } from "./shop-dates.ts";
import { openOrderSummary, ShopPage } from "./shop-page.ts";
import { readSuccessPanel } from "./success-panels.ts";
import { buyPass, post, postForm, signInAsNewUser } from "./test-users.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
test("signed out, the dashboard and the tool pages redirect home and reveal nothing", async ({
  shop,
  page,
}) => {
  for (const [path, secret] of [
    ["/dashboard", "My Tools"],
    ["/tools/chatgpt", "chatgpt-server"],
  ] as const) {
    const response = await page.request.get(path, { maxRedirects: 0 });
    expect(response.status(), path).toBe(302);
    expect(response.headers().location, path).toBe("/");
    expect(await response.text()).not.toContain(secret);
    await page.goto(path);
    await expect(page).toHaveURL(/\/$/);
    await expect(shop.cards).toHaveCount(12);
  }
  const code = await postForm(page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" });
  expect(code.status()).toBe(401);
  expect(await code.text()).not.toContain("CGPT");
});

test("the dashboard without passes shows the empty state, and is left when its session ends", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await shop.open("/dashboard");
  await test.step("the dashboard without passes shows the empty state", async () => {
    await expect(shop.heading("No Tools Available")).toBeVisible();
    await expect(page.getByText(email, { exact: true })).toBeVisible();
    const boxOf = (name: string) => page.getByRole("region", { name }).boundingBox();
    const [passes, extension] = [await boxOf("My Tools"), await boxOf("Browser extension")];
    expect(extension?.x).toBeGreaterThan((passes?.x ?? 0) + (passes?.width ?? 0));
    await page.getByRole("link", { name: "Purchase Tools" }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(shop.cards).toHaveCount(12);
    await page.goBack();
    await expect(shop.heading("No Tools Available")).toBeVisible();
  });
  await test.step("an open dashboard is left when its session ends elsewhere", async () => {
    expect((await post(page, "/api/auth/sign-out", {})).ok()).toBe(true);
    // The event that a browser fires when the tab becomes visible again.
    await expect(async () => {
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      await expect(shop.cards).toHaveCount(12, { timeout: 2000 });
    }).toPass();
    await expect(page).toHaveURL(/\/$/);
  });
});

test("a pass that ends says when, and is bought again from the dashboard with its exact end", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await buyPass(page, "quillbot", "7 Days");
  await test.step("a pass that ends within a day says when, and after its end its card offers to renew it", async () => {
    await expirePasses(email, new Date(Date.now() + 2 * 60 * 60_000));
    await shop.open("/dashboard");
    await expect(shop.pass("Canva").getByText(/^Ends (today|tomorrow) \d\d:\d\d$/)).toBeVisible();
    await expect(shop.pass("Canva").getByText("Active", { exact: true })).toBeVisible();

    await expirePasses(email, new Date(Date.now() - 9 * DAY_MS));
    await shop.reload();
    await expect(shop.heading("No Tools Available")).toBeVisible();
    await expect(page.getByText("Expired", { exact: true })).toHaveCount(2);
    await expect(page.getByRole("link", { name: "Renew Access to QuillBot" })).toBeVisible();
    await expect(page.locator("main .button-strong")).toHaveText([/^Renew Access/]);
  });
  await test.step("an expired pass is renewed from the dashboard with one click", async () => {
    await page.getByRole("link", { name: "Renew Access to Canva" }).click();
    await expect(shop.purchase.pay("₹49")).toBeVisible();
    await expect(page).toHaveURL(/\/$/);
  });
  await test.step("an expired pass is bought again, and the dialog shows the exact end before and after the payment", async () => {
    const { purchase } = shop;
    const ended = shopDate(Date.now() - 9 * DAY_MS);
    await expect(purchase.root.getByText(`Your last pass ended ${ended}.`)).toBeVisible();
    await purchase.option("7 Days").check();
    await expect(async () => {
      await expect(purchase.notice(accessUntil(Date.now() + 7 * DAY_MS))).toBeVisible({ timeout: 500 });
    }).toPass();
    await purchase.openGateway("₹49");
    await purchase.gatewayButton("Pay").click();
    await purchase.expectSuccess();
    expect((await readSuccessPanel(page))?.text).toContain(accessUntil(await readExpiry(email)));
  });
});

test("an expired pass is renewed on the page of its tool, or leads to the shop when it is no longer sold", async ({
  shop,
  page,
  browserErrors,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await buyPass(page, "quillbot", "7 Days");
  await expirePasses(email, new Date("2026-11-12T10:00:00Z"));
  await test.step("the page of an expired pass says when it ended, and renews it", async () => {
    await shop.open("/tools/canva");
    await expect(shop.heading("Access Required")).toBeVisible();
    await expect(page.getByText("Your Canva pass ended on 12/11/26.")).toBeVisible();
    await page.getByRole("button", { name: "Renew Access to Canva" }).click();
    await expect(shop.purchase.pay("₹49")).toBeVisible();
    expect(browserErrors.filter((error) => !error.includes("403"))).toEqual([]);
    browserErrors.length = 0;
  });
  await test.step("an expired pass of a tool that is no longer sold leads to the shop instead of offering to renew it", async () => {
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
});

test("a checkout that was left after a declined payment says so until it is dismissed anywhere, and its order says why", async ({
  shop,
  page,
  context,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openOrderSummary(shop, "canva", "7 Days");
  await shop.purchase.openGateway("₹49");
  await shop.purchase.gatewayButton("Fail").click();
  await expect(shop.purchase.gateway.getByText("The bank declined the payment.")).toBeVisible();
  const bar = page.getByRole("region", { name: "Your purchase" });
  const other = new ShopPage(await context.newPage());
  const noticeFor = (tool: string) =>
    other.page
      .getByRole("status")
      .filter({ hasText: new RegExp(`Payment (declined|not finished) · ${tool}`) });
  await test.step("dismissing it on the dashboard dismisses it in the tab of the checkout", async () => {
    await shop.reload();
    await expect(bar).toContainText("Canva: your payment isn’t finished");
    await other.open("/dashboard");
    await expect(noticeFor("Canva")).toBeVisible();
    await other.page.getByRole("button", { name: "Dismiss the payment for Canva" }).click();
    await expect(noticeFor("Canva")).toHaveCount(0);
    await expect(bar).toHaveCount(0);
    await other.reload();
    await expect(other.heading("No Tools Available")).toBeVisible();
    await expect(noticeFor("Canva")).toHaveCount(0);
    // The page before the reload may ask too, and the text of an answer to it is gone.
    const isWaiting = page.waitForResponse(
      async (response) =>
        response.url().includes("/checkout/status") &&
        (await response.text().catch(() => "")).includes("waiting"),
    );
    await shop.reload();
    await isWaiting;
    await expect(bar).toHaveCount(0);
  });
  await test.step("dismissing it in the tab of the checkout dismisses it on the dashboard", async () => {
    await page.goto("/shop/quillbot");
    await shop.waitForHydration();
    await page
      .getByRole("main")
      .getByRole("button", { name: /^Get access to / })
      .first()
      .click();
    await shop.purchase.openGateway("₹39");
    await shop.reload();
    await expect(bar).toContainText("QuillBot: your payment isn’t finished");
    await other.reload();
    await expect(noticeFor("QuillBot")).toBeVisible();
    await bar.getByRole("button", { name: "Dismiss", exact: true }).click();
    await expect(bar).toHaveCount(0);
    await expect(noticeFor("QuillBot")).toHaveCount(0);
  });
  await shop.open("/account");
  const order = page.getByRole("list", { name: "Orders" }).getByRole("listitem").filter({ hasText: "Canva" });
  await expect(order).toContainText("Payment declined");
  await expect(order).toContainText("Your payment was declined by the bank.");
});
