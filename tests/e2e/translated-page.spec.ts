import { expect } from "@playwright/test";
import { expectBanner, fillCredentials, openRowDialog, pressRowAction, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { addCoupon, listPurchases } from "./shop-database.ts";
import { buyPass, newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";
import { translatePages } from "./translated-page.ts";

test.use({ isTranslated: true });
test.describe.configure({ timeout: 240_000 });

const FAILED = "This page did not load";

test("a buyer on a translated page signs up, changes the price, pays what Pay says, and opens the tool", async ({
  shop,
  page,
}) => {
  const email = newEmail();
  const coupon = await addCoupon({ slug: "canva", discountPercentage: 10 });
  const { purchase, signIn } = shop;
  await test.step("a wrong password is refused, and the sign-up goes on to the prices", async () => {
    await shop.open("/");
    await expect(page.locator("main font").first()).toBeVisible();
    await shop.choose("Canva");
    await signIn.signInInSheet({ email, password: "wrong" });
    await expect(signIn.root.getByText(/^No account found/)).toBeVisible();
    await signIn.createAccount({ email, password: PASSWORD });
    await expect(purchase.pay("₹49")).toBeEnabled();
  });
  await test.step("each choice changes the price on the button", async () => {
    for (const [option, price] of [
      ["90 Days", "₹329"],
      ["30 Days", "₹119"],
      ["90 Days", "₹329"],
    ] as const) {
      await purchase.option(option).check();
      await expect(purchase.root.getByRole("button", { name: /^Pay / })).toHaveText(`Pay ${price}`);
    }
    await purchase.apply("NO-SUCH-CODE");
    await expect(purchase.notice("Invalid coupon code")).toBeVisible();
    await purchase.apply(coupon);
    await expect(purchase.pay("₹296.10")).toBeEnabled();
    await purchase.couponButton("Remove").click();
    await expect(purchase.pay("₹329")).toBeEnabled();
    await purchase.apply(coupon);
  });
  await test.step("a declined payment is said, and the next one buys for the price of the button", async () => {
    await purchase.openGateway("₹296.10");
    await purchase.gatewayButton("Fail").click();
    await purchase.gatewayButton("Pay").click();
    await purchase.expectSuccess();
    await purchase.expectToolPage("canva");
    expect(await listPurchases(email)).toMatchObject([{ status: "completed", days: 90, amount: 29_610 }]);
  });
  await test.step("the code and the shared sign-in are shown, copied and hidden", async () => {
    const server = shop.server("Server 1");
    await server.getByRole("button", { name: "Show code" }).click();
    await expect(server.getByRole("button", { name: "Hide code" })).toBeVisible();
    await server.getByRole("button", { name: /^Copy/ }).first().click();
    await server.getByRole("button", { name: "Hide code" }).click();
    await expect(server.getByRole("button", { name: "Show code" })).toBeVisible();
    await server.getByRole("button", { name: "Click" }).click();
    await expect(server.getByText(/No extension here/)).toBeVisible();
  });
  await test.step("the other pages of a buyer, forwards and back", async () => {
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
    await expect(shop.pass("Canva").getByText("90 days left")).toBeVisible();
    await shop.open("/account");
    await page.getByRole("textbox", { name: "Your name" }).fill("Asha");
    await page.getByRole("button", { name: "Save Name" }).click();
    await expect(page.getByRole("list", { name: "Orders" }).getByRole("listitem").first()).toContainText(
      "₹296.10",
    );
    await page.getByRole("list", { name: "Orders" }).getByRole("link").first().click();
    await expect(page).toHaveURL(/\/account\/orders\//);
    await page.goBack();
    await page.getByRole("button", { name: "Sign Out", exact: true }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(page.getByText(FAILED)).toHaveCount(0);
  });
});

test("an admin on a translated page signs in, changes tools and assigns one", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await test.step("a wrong password is refused", async () => {
    await shop.open("/admin/login");
    await fillCredentials(shop, { email, password: "wrong-password" });
    await page.getByRole("button", { name: "Sign in as Admin" }).click();
    await expect(page.getByRole("alert").filter({ hasText: /./ }).first()).toBeVisible();
    await signInAsAdmin(shop);
  });
  await test.step("each tab opens", async () => {
    const tabs = page.getByRole("tab");
    await expect(tabs).toHaveCount(6);
    for (let at = 0; at < 6; at += 1) {
      await tabs.nth(at).click();
      await expect(tabs.nth(at)).toHaveAttribute("aria-selected", "true");
      await expect(page.getByText(FAILED)).toHaveCount(0);
    }
  });
  await test.step("a tool is added, found and deleted, after each mistake", async () => {
    const name = "Translated Suite";
    await shop.open("/admin/tools");
    await page.getByRole("button", { name: "+ Add Tool" }).click();
    const adding = page.getByRole("dialog", { name: "Add Tool" });
    await adding.getByRole("button", { name: "Add Tool", exact: true }).click();
    await expect(adding.getByRole("alert").filter({ hasText: /./ }).first()).toBeVisible();
    const fields = {
      "Tool Name": name,
      Description: "Cuts.",
      Stock: "3",
      Price: "77",
      "Validity (Days)": "15",
    };
    for (const [label, text] of Object.entries(fields))
      await adding.getByLabel(label, { exact: true }).fill(text);
    await adding.getByRole("button", { name: "Add Tool", exact: true }).click();
    await expect(adding).toBeHidden();
    const row = page.locator('table[aria-label="Tools"] tr').filter({ hasText: name });
    await expect(row.getByText("3 in stock")).toBeVisible();
    await pressRowAction(row, /^Edit/);
    const editing = page.getByRole("dialog", { name: /^Edit / });
    await editing.getByLabel("Stock", { exact: true }).fill("5");
    await editing.getByRole("button", { name: "Update Tool" }).click();
    await expect(row.getByText("5 in stock")).toBeVisible();
    const deleting = await openRowDialog(page, row, "Delete", /^Delete /);
    await deleting.getByRole("button", { name: /^Delete/ }).click();
    await expect(row).toHaveCount(0);
  });
  await test.step("a buyer is found and gets a tool, and the purchase is shown", async () => {
    await shop.open(`/admin?q=${encodeURIComponent(email)}`);
    const row = page.getByRole("table", { name: "Users" }).getByRole("row").filter({ hasText: email });
    const adding = await openRowDialog(page, row, "Add Tools", `Assign Tools to ${email}`);
    const tool = adding
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "QuillBot", exact: true }) });
    await expectBanner(page, "Tool assigned.", () => tool.getByRole("button", { name: "Assign" }).click());
    await expect(tool.getByRole("button", { name: "Already Assigned" })).toBeDisabled();
    await shop.open(`/admin/purchases?q=${encodeURIComponent(email)}`);
    const purchases = page
      .getByRole("table", { name: "User purchases" })
      .getByRole("row")
      .filter({ hasText: "QuillBot" });
    await openRowDialog(page, purchases, "View", /./);
    await page.keyboard.press("Escape");
    await expect(page.getByText(FAILED)).toHaveCount(0);
  });
});

test.describe("a page that is translated before its scripts start", () => {
  test.use({ isTranslated: false });
  test("a page that is translated before its scripts start sells for the price that Pay says", async ({
    shop,
    page,
    browserErrors,
  }) => {
    await translatePages(page.context(), "at once");
    await signInAsNewUser(page);
    await shop.open("/");
    await shop.openPurchase("Canva");
    await shop.purchase.option("90 Days").check();
    await expect(shop.purchase.root.getByRole("button", { name: /^Pay / })).toHaveText("Pay ₹329");
    await shop.purchase.openGateway("₹329");
    // React reports that the page was not as the server has sent it, and renders it again.
    expect(browserErrors.filter((error) => !/Minified React error #418/.test(error))).toEqual([]);
    browserErrors.length = 0;
  });
});
