import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { addCoupon, makePasswordEntriesOld, query } from "./shop-database.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { newEmail } from "./test-users.ts";

// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const rowOf = (page: Page, text: string) =>
  page.getByRole("table", { name: "Coupon codes" }).getByRole("row").filter({ hasText: text });
const search = (page: Page) => page.getByRole("searchbox", { name: "Search by code or tool name" });

/** Inserts completed purchases that used a coupon, one a minute, and counts them. */
async function insertUses(code: string, uses: number): Promise<string[]> {
  const emails = Array.from({ length: uses }, newEmail);
  for (const [use, email] of emails.entries()) {
    await query(
      `with buyer as (insert into users (id, email) values (gen_random_uuid(), $2::text) returning id),
       used as (update coupon_codes set uses_taken = uses_taken + 1 where code = $1::text returning id, tool_id),
       purchase as (insert into user_purchases (id, user_id, user_email, tool_id, tool_name, amount, list_price_paise, discount_paise,
           validity, status, stock_state, source, coupon_code, starts_at, captured_at, expires_at, test_mode)
         select gen_random_uuid(), buyer.id, $2::text, used.tool_id, 'Canva', 11920, 14900, 2980, 30, 'completed', 'used',
           'checkout', $1::text, at, at, at + interval '30 days', true
         from buyer, used, (select now() - make_interval(mins => $3::int) as at) as moment returning id)
       insert into coupon_redemptions (id, coupon_id, purchase_id, state)
       select gen_random_uuid(), used.id, purchase.id, 'used' from used, purchase`,
      [code, email, uses - use],
    );
  }
  return emails;
}

test.describe("at 1280 px", () => {
  test.use({ viewport: { width: 1280, height: 844 } });

  test("an admin adds, changes and deletes a coupon code", async ({ shop, page }) => {
    await signInAsAdmin(shop);
    await page.getByRole("tab", { name: /^Coupon Codes \(\d+\)$/ }).click();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();

    // The form refuses what is missing, and forces upper case while one types.
    const code = "tea-1280";
    await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
    const form = page.getByRole("dialog", { name: "Add Coupon Code" });
    await expect(form.getByLabel("Discount Percentage")).toHaveValue("0");
    await expect(form.getByLabel("Active")).toBeChecked();
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByText("Enter the coupon code.")).toBeVisible();
    await expect(form.getByText("Choose a tool.")).toBeVisible();
    await expect(form.getByText("Enter a discount from 1 to 100 percent.")).toBeVisible();
    await form.getByLabel("Coupon Code").pressSequentially(code);
    await expect(form.getByLabel("Coupon Code")).toHaveValue(code.toUpperCase());
    await form.getByLabel("Tool").selectOption("Canva");
    await form.getByLabel("Discount Percentage").fill("101");
    await expect(form.getByText("Enter a discount from 1 to 100 percent.")).toBeVisible();
    await form.getByLabel("Discount Percentage").fill("25");
    await form.getByRole("button", { name: "Create Coupon" }).dblclick();
    await expect(page.getByText("Coupon code created successfully!")).toBeVisible();
    await expect(form).toBeHidden();
    await expect(page.getByText("Coupon code created successfully!")).toBeHidden();
    const row = rowOf(page, code.toUpperCase());
    for (const text of ["Canva", "25%", "Unlimited", "0", "Active", "No expiry"]) {
      await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    }

    // Another coupon may not have the same code. The form stays as it was typed.
    await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
    await form.getByLabel("Coupon Code").fill(code);
    await form.getByLabel("Tool").selectOption("Udemy");
    await form.getByLabel("Discount Percentage").fill("5");
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByText("Another coupon has this code.")).toBeVisible();
    await form.getByRole("button", { name: "Cancel" }).click();

    await row.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Coupon Code" });
    await expect(edit.getByLabel("Coupon Code")).toHaveValue(code.toUpperCase());
    await edit.getByLabel("Usage Limit").fill("40");
    await edit.getByLabel("Expiry Date").fill("2031-12-31T23:59");
    await edit.getByLabel("Active").uncheck();
    await edit.getByRole("button", { name: "Update Coupon" }).click();
    await expect(page.getByText("Coupon code updated successfully!")).toBeVisible();
    for (const text of ["40", "Inactive", "31/12/31"]) {
      await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    }

    // The confirmation comes first, and then the password, because its last entry is long ago.
    await makePasswordEntriesOld();
    await row.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", {
      name: "Are you sure you want to delete this coupon code?",
    });
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toBeHidden();
    await row.getByRole("button", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete Coupon Code" }).click();
    const password = page.getByRole("dialog", { name: "Enter your password" });
    await expect(password.getByLabel("Password")).toBeFocused();
    await expect(question).toBeHidden();
    await expect(page.locator("tr", { hasText: code.toUpperCase() })).toBeVisible();
    await page.keyboard.type(ADMIN_PASSWORD);
    await page.keyboard.press("Enter");
    await expect(page.getByText("Coupon code deleted successfully!")).toBeVisible();
    await expect(row).toBeHidden();
  });

  test("an admin finds coupon codes by code, by tool name and by the tool filter", async ({ shop, page }) => {
    const canva = await addCoupon({ slug: "canva", discountPercentage: 11 });
    const udemy = await addCoupon({ slug: "udemy", discountPercentage: 12, expiresAt: new Date(0) });
    await signInAsAdmin(shop);
    await shop.open("/admin/coupons");
    await expect(rowOf(page, udemy).getByText("Expired")).toBeVisible();
    await search(page).fill(canva.slice(2).toLowerCase());
    await expect(rowOf(page, udemy)).toBeHidden();
    await expect(rowOf(page, canva)).toBeVisible();
    await search(page).fill("udem");
    await expect(rowOf(page, udemy)).toBeVisible();
    await expect(rowOf(page, canva)).toBeHidden();
    await search(page).fill("");
    const filter = page.getByRole("combobox", { name: "Tool" });
    expect((await filter.getByRole("option").allInnerTexts())[0]).toBe("All Tools");
    expect(await filter.getByRole("option").count()).toBe(13);
    await filter.selectOption("Canva");
    await expect(rowOf(page, canva)).toBeVisible();
    await expect(rowOf(page, udemy)).toBeHidden();
    await shop.reload();
    await expect(filter.getByRole("option", { selected: true })).toHaveText("Canva");
    await search(page).fill("no such code");
    await expect(shop.heading("No coupon codes found")).toBeVisible();
  });

  test("an admin sees the latest ten uses of a coupon code", async ({ shop, page }) => {
    const code = await addCoupon({ slug: "canva", discountPercentage: 20 });
    const emails = await insertUses(code, 12);
    await signInAsAdmin(shop);
    await shop.open(`/admin/coupons?q=${code}`);
    await rowOf(page, code)
      .getByRole("link", { name: `Latest uses of ${code}: 12` })
      .click();
    const uses = page.getByRole("dialog", { name: `Latest uses of ${code}` });
    await expect(uses.getByText("Used 12 times. The latest 10:")).toBeVisible();
    const rows = uses.getByRole("table").getByRole("row");
    await expect(rows).toHaveCount(11);
    await expect(rows.nth(1)).toContainText(emails[11] ?? "");
    await expect(rows.nth(1)).toContainText("₹119.20");
    await expect(rows.nth(10)).toContainText(emails[2] ?? "");
    await page.goBack();
    await expect(uses).toBeHidden();
    await expect(rowOf(page, code)).toBeVisible();
  });
});

test("a change of another admin appears by itself and leaves an open form alone", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const code = await addCoupon({ slug: "canva", discountPercentage: 30 });
  const other = await openOtherBrowser();
  await signInAsAdmin(shop);
  await signInAsAdmin(other);
  await shop.open(`/admin/coupons?q=${code}`);
  await other.open(`/admin/coupons?q=${code}`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await rowOf(page, code).getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Coupon Code" });
  await edit.getByLabel("Discount Percentage").fill("35");

  await rowOf(other.page, code).getByRole("button", { name: "Edit" }).click();
  const otherEdit = other.page.getByRole("dialog", { name: "Edit Coupon Code" });
  await otherEdit.getByLabel("Discount Percentage").fill("31");
  await otherEdit.getByRole("button", { name: "Update Coupon" }).click();
  await expect(other.page.getByText("Coupon code updated successfully!")).toBeVisible();

  await expect(page.locator("td", { hasText: "31%" })).toBeAttached();
  await expect(edit.getByLabel("Discount Percentage")).toHaveValue("35");
  await edit.getByRole("button", { name: "Update Coupon" }).click();
  await expect(edit.getByText(/^Someone else has changed this in the meantime/)).toBeVisible();
  await expect(edit.getByLabel("Discount Percentage")).toHaveValue("35");
  await edit.getByRole("button", { name: "Discard Mine and Show Theirs" }).click();
  await expect(edit.getByLabel("Discount Percentage")).toHaveValue("31");
  await edit.getByLabel("Discount Percentage").fill("36");
  await edit.getByRole("button", { name: "Update Coupon" }).click();
  await expect(edit).toBeHidden();
  await expect(rowOf(page, code).getByRole("cell", { name: "36%" })).toBeVisible();
});

test("the tab of coupon codes and its dialogs are accessible in both schemes and widths", async ({
  shop,
  page,
}) => {
  const code = await addCoupon({ slug: "canva", discountPercentage: 20, usageLimit: 2_500 });
  await addCoupon({ slug: "udemy", discountPercentage: 5, isActive: false, expiresAt: new Date(0) });
  await insertUses(code, 3);
  await signInAsAdmin(shop);
  await shop.open("/admin/coupons");
  await expectAccessible(page, "admin coupons");
  await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
  await page.getByRole("button", { name: "Create Coupon" }).click();
  await expect(page.getByText("Choose a tool.")).toBeVisible();
  await expectAccessible(page, "admin coupons form");
  await page.getByRole("button", { name: "Cancel" }).click();
  await rowOf(page, code).getByRole("button", { name: "Delete" }).click();
  await expectAccessible(page, "admin coupons delete");
  await page.getByRole("button", { name: "Cancel" }).click();
  await shop.open(`/admin/coupons?usage=${code}`);
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectAccessible(page, "admin coupons uses");
  await shop.open("/admin/coupons?q=nothing-at-all");
  await expectAccessible(page, "admin coupons empty");
});
