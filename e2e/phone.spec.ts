import { expect } from "@playwright/test";
import { test } from "./journey.ts";
import { newEmail, PASSWORD } from "./people.ts";
import { capturesOf, purchasesOf, stockOf } from "./shop-database.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("a thumb buys a pass, once", async ({ shop, page }) => {
  const before = await stockOf("quillbot");
  const email = newEmail();
  await shop.open("/");
  await page.getByRole("button", { name: "Get access to QuillBot" }).tap();
  await shop.signIn.button("Create an Account").tap();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Create Account").tap();

  const { purchase } = shop;
  await purchase.root.getByText("30 Days", { exact: true }).tap();
  // The one strong button is within reach without scrolling.
  await expect(purchase.pay("₹99")).toBeInViewport({ ratio: 1 });
  await purchase.pay("₹99").tap();
  await purchase.gatewayButton("Pay").tap();
  await expect(purchase.success).toBeVisible();
  await purchase.expectGone();
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).tap();
  await shop.pass("QuillBot").getByRole("link", { name: "Open" }).tap();
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeInViewport();
  expect(await purchasesOf(email)).toEqual([
    { tool: "QuillBot", status: "completed", stock: "used", days: 30, amount: 9900 },
  ]);
  expect(await capturesOf(email)).toBe(1);
  expect(await stockOf("quillbot")).toBe(before - 1);
});

test("what is pressed is large enough for a thumb", async ({ shop, page }) => {
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
