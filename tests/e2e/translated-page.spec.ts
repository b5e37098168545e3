import { expect, type Page } from "@playwright/test";
import { ADMIN_EMAIL, enterPassword, expectBanner, fillCredentials, openRowDialog } from "./admin-page.ts";
import { listCodes } from "./demo-catalogue.ts";
import { test } from "./fixtures.ts";
import { addCoupon, listPurchases, makePasswordEntriesOld } from "./shop-database.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { buyPass, newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";
import { translatePages } from "./translated-page.ts";

/** Nodes of extensions and of the bar that a translation adds, between all parts of the page. */
function addForeignNodes() {
  for (const element of [...document.body.children, ...document.querySelectorAll("main *, header *")])
    element.after(document.createElement("foreign-node"));
  document.body.prepend(document.createElement("foreign-node"));
}

/** React renders a part of the page anew that had foreign nodes before it was hydrated, and reports that. */
function expectNoOtherErrors(browserErrors: string[]) {
  const others = browserErrors.splice(0).filter((error) => !error.includes("Minified React error #418;"));
  expect(others).toEqual([]);
}

/** Opens a tab of the admin. */
async function openTab(page: Page, name: RegExp) {
  await page.getByRole("tab", { name }).click();
  await expect(page.getByRole("tab", { name, selected: true })).toBeVisible();
}

test("a buyer signs in, buys, opens a tool and manages the account on translated pages", async ({
  shop,
  page,
  context,
  newClient,
  browserErrors,
}) => {
  await translatePages(context, "hydration");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { purchase, signIn } = shop;
  const known = (await signInAsNewUser(await newClient())).email;
  const email = newEmail();

  await test.step("the list of tools is searched, among nodes of extensions", async () => {
    await shop.open("/");
    await page.evaluate(addForeignNodes);
    await page.getByRole("searchbox").fill("canva");
    await expect(shop.cards).toHaveCount(1);
    await page.getByRole("searchbox").fill("no such tool");
    await expect(shop.cards).toHaveCount(0);
    await page.getByRole("searchbox").fill("");
    await expect(shop.cards).toHaveCount(12);
  });
  await test.step("a wrong password is refused in the dialog", async () => {
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await signIn.button("Sign in with Email").click();
    await signIn.fill({ email: known, password: "not-the-password-1" });
    for (const _ of ["first", "second"]) {
      await signIn.button("Sign In").click();
      await expect(signIn.root.getByRole("alert").filter({ hasText: /password/i })).toBeVisible();
    }
    await signIn.button("Forgot password?").click();
    await signIn.expectView("Reset password");
    await page.keyboard.press("Escape");
    await purchase.expectGone();
  });
  await test.step("the button to pay has the amount of the chosen option, and of the coupon", async () => {
    await shop.choose("Canva");
    await signIn.createAccount({ email, password: PASSWORD });
    for (const [option, amount] of [
      ["90 Days", "₹329"],
      ["7 Days", "₹49"],
      ["90 Days", "₹329"],
    ] as const) {
      await purchase.option(option).check();
      await expect(purchase.pay(amount)).toBeEnabled();
      await expect(purchase.root.getByRole("button", { name: /^Pay/ })).toHaveText(`Pay ${amount}`);
    }
    await purchase.apply("NO-SUCH-CODE");
    await expect(purchase.root.getByRole("alert").filter({ hasText: /coupon/i })).toBeVisible();
    await purchase.apply(await addCoupon({ slug: "canva", discountPercentage: 20 }));
    await expect(purchase.pay("₹263.20")).toBeEnabled();
    await purchase.couponButton("Remove").click();
    await purchase.openGateway("₹329");
    await purchase.gatewayButton("Close").click();
    await expect(purchase.notice("You closed the checkout.")).toBeVisible();
    await purchase.openGateway("₹329");
    await purchase.gatewayButton("Pay").click();
    await purchase.expectSuccess();
    await purchase.expectToolPage("canva");
    expect((await listPurchases(email)).find(({ status }) => status === "completed")?.amount).toBe(32_900);
  });
  await test.step("codes and credentials are shown, hidden and copied", async () => {
    const row = shop.server("Server 1");
    await row.getByRole("button", { name: "Show code" }).click();
    await expect(row.getByLabel("The code for Server 1")).toHaveValue(
      listCodes("canva")[0]?.simpleCode ?? "",
    );
    await row.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
    await row.getByRole("button", { name: "Hide code" }).click();
    await row.getByRole("button", { name: "Click" }).click();
    await expect(row.getByText("No extension here. Press Show code.")).toBeVisible();
    await buyPass(page, "aihumanizer", "7 Days");
    await shop.open("/aihumanizer");
    const credentials = page.getByRole("region", { name: "Tool Credentials" });
    for (const label of ["Copy email", "Copy password"]) {
      await credentials.getByRole("button", { name: label, exact: true }).click();
      await expect(credentials.getByRole("button", { name: "Copied!" })).toBeVisible();
      await expect(credentials.getByRole("button", { name: label, exact: true })).toBeVisible();
    }
  });
  await test.step("the passes, the orders and the account are shown and changed", async () => {
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
    await expect(shop.pass("Canva").getByText(/^90 days left$/)).toBeVisible();
    await page.getByRole("link", { name: "Account", exact: true }).click();
    for (const [name, message] of [
      ["  ", "Please enter your name."],
      ["Asha Rao", "Your name has been saved."],
    ] as const) {
      await page.getByLabel("Your name").fill(name);
      await page.getByRole("button", { name: "Save Name" }).click();
      await expect(page.getByText(message)).toBeVisible();
    }
    await expect(page.getByRole("banner").getByText("Asha Rao")).toBeVisible();
    await page.getByRole("banner").getByRole("link").first().click();
    await expect(shop.cards).toHaveCount(12);
    await shop.accountNav.getByRole("button", { name: "Logout" }).click();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  });
  expectNoOtherErrors(browserErrors);
});

test("an admin signs in and changes what the shop has on translated pages", async ({
  shop,
  page,
  context,
  newClient,
}) => {
  await translatePages(context, "hydration");
  const buyer = await newClient();
  const { email } = await signInAsNewUser(buyer);
  await buyPass(buyer, "canva", "7 Days");

  await test.step("a wrong password is refused, and the right one signs in", async () => {
    await shop.open("/admin/login");
    for (const _ of ["first", "second"]) {
      await fillCredentials(shop, { email: ADMIN_EMAIL, password: "not-the-password-1" });
      await page.getByRole("button", { name: "Sign in as Admin" }).click();
      await expect(page.getByRole("alert").filter({ hasText: /password|credentials/i })).toBeVisible();
    }
    await fillCredentials(shop, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
    await page.getByRole("button", { name: "Sign in as Admin" }).click();
    await expect(shop.heading("Admin Dashboard")).toBeVisible();
  });
  await test.step("a coupon is refused, created, changed and deleted", async () => {
    await openTab(page, /^Coupon Codes/);
    await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
    const form = page.getByRole("dialog", { name: "Add Coupon Code" });
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByText("Enter the coupon code.")).toBeVisible();
    await form.getByLabel("Coupon Code").fill("TRANSLATED");
    await form.getByLabel("Tool").selectOption("Canva");
    await form.getByLabel("Discount Percentage").fill("25");
    await expectBanner(page, "Coupon code created successfully!", () =>
      form.getByRole("button", { name: "Create Coupon" }).click(),
    );
    const row = page.getByRole("row").filter({ hasText: "TRANSLATED" });
    await row.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Coupon Code" });
    await edit.getByLabel("Usage Limit").fill("40");
    await edit.getByRole("button", { name: "Update Coupon" }).click();
    await expect(row.getByRole("cell", { name: "40", exact: true })).toBeVisible();
    await makePasswordEntriesOld();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete Coupon Code" }).click();
    await enterPassword(page);
    await expect(row).toBeHidden();
  });
  await test.step("a tool is assigned to a buyer", async () => {
    await openTab(page, /^Users/);
    await page.getByRole("searchbox", { name: "Search users by email or name" }).fill(email);
    const row = page.getByRole("row").filter({ hasText: email });
    await expect(row).toHaveCount(1);
    const dialog = await openRowDialog(page, row, "Add Tools", `Assign Tools to ${email}`);
    const tool = dialog.getByRole("listitem").filter({ hasText: "QuillBot" });
    await tool.getByRole("button", { name: "Assign" }).click();
    await expect(tool.getByRole("button", { name: "Already Assigned" })).toBeDisabled();
    await dialog.getByRole("button", { name: "Close" }).click();
  });
  await test.step("a purchase is viewed and extended", async () => {
    await openTab(page, /^User Purchases/);
    await page.getByRole("searchbox", { name: /^Search by user email/ }).fill(email);
    const row = page.getByRole("row").filter({ hasText: email }).filter({ hasText: "Canva" });
    await expect(row).toHaveCount(1);
    const drawer = await openRowDialog(page, row, "View", "Canva");
    await drawer.getByRole("button", { name: "Close" }).click();
    const dialog = await openRowDialog(page, row, "Extend", "Extend Canva");
    await dialog.getByRole("button", { name: "Extend", exact: true }).click();
    await expect(dialog).toBeHidden();
  });
  await test.step("every tab opens its form, refuses an empty one and closes it", async () => {
    for (const [tab, add] of [
      ["Access Codes", "Add Access Code"],
      ["Credentials", "Add Credential"],
      ["Tools Management", "Add Tool"],
    ] as const) {
      await openTab(page, new RegExp(`^${tab}`));
      await page
        .getByRole("button", { name: `+ ${add}` })
        .first()
        .click();
      const form = page.getByRole("dialog");
      await form
        .getByRole("button", { name: /^(?:Add|Create)/ })
        .last()
        .click();
      await expect(form.locator("[aria-invalid=true]").first()).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(form).toHaveCount(0);
    }
    for (const path of ["/admin/settings", "/admin/audit", "/admin/mail", "/admin/health", "/admin"]) {
      await shop.open(path);
      await expect(shop.heading("This page did not load")).toHaveCount(0);
      await expect(page.getByRole("main")).toBeVisible();
    }
  });
});

test("a page that is translated before its scripts arrive works, and keeps the amounts", async ({
  shop,
  page,
  context,
  browserErrors,
}) => {
  await translatePages(context, "start");
  await signInAsNewUser(page);
  for (const path of ["/", "/shop/canva"]) {
    await shop.open(path);
    await page.evaluate(addForeignNodes);
    await page.getByRole("button", { name: "Get access to Canva" }).first().click();
    await shop.purchase.option("90 Days").check();
    await expect(shop.purchase.pay("₹329")).toBeEnabled();
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
  }
  expectNoOtherErrors(browserErrors);
});
