import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { countCaptures, listPurchases, readStock } from "./shop-database.ts";
import { newEmail, PASSWORD } from "./test-users.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("on a phone one tap on each button buys one pass", async ({ shop, page }) => {
  const before = await readStock("quillbot");
  const email = newEmail();
  await shop.open("/");
  await page.getByRole("button", { name: "Get access to QuillBot" }).tap();
  await shop.signIn.button("Create an Account").tap();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Create Account").tap();

  const { purchase } = shop;
  await expect(purchase.notice("Grammar and spelling check")).toBeVisible();
  await expect(purchase.notice("Citation generator")).toBeHidden();
  await purchase.root.getByRole("button", { name: "All 6 features" }).tap();
  await expect(purchase.notice("Citation generator")).toBeVisible();
  await expect(purchase.pay("₹39")).toBeInViewport({ ratio: 1 });
  await purchase.root.getByText("30 Days", { exact: true }).tap();
  // The primary button is visible without scrolling.
  await expect(purchase.pay("₹99")).toBeInViewport({ ratio: 1 });
  await purchase.pay("₹99").tap();
  await purchase.gatewayButton("Pay").tap();
  await purchase.expectSuccess();
  await purchase.expectGone();
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await shop.pass("QuillBot").getByRole("link", { name: "Open" }).tap();
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeInViewport();
  expect(await listPurchases(email)).toEqual([
    { tool: "QuillBot", status: "completed", stock: "used", days: 30, amount: 9900 },
  ]);
  expect(await countCaptures(email)).toBe(1);
  expect(await readStock("quillbot")).toBe(before - 1);
});

test("on a phone all controls are large enough to tap", async ({ shop, page }) => {
  await shop.open("/");
  const small = await page
    .locator("main, header")
    .locator("button:visible, a:visible, input:visible")
    .evaluateAll((controls) =>
      controls
        .map((control) => ({ name: control.textContent ?? "", box: control.getBoundingClientRect() }))
        .filter(({ box }) => box.height > 1 && box.height < 40)
        .map(({ name, box }) => `${name} ${box.width}×${box.height}`),
    );
  expect(small).toEqual([]);
});
