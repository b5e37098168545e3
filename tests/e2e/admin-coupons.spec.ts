import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { enterPassword, expectBanner, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { addCoupon, makePasswordEntriesOld, query } from "./shop-database.ts";
import { newEmail, postForm } from "./test-users.ts";

test.use({ isTranslated: true, viewport: { width: 1280, height: 844 } });
// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const DIALOG = "[role=dialog]";

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

const couponRows = z.tuple([z.object({ id: z.string(), toolId: z.string(), version: z.number() })]);

/** Changes the discount of a coupon, as the form of another admin does. @returns the answer */
async function saveAsOtherAdmin(page: Page, code: string, discountPercentage: string, versionsBehind = 0) {
  const [coupon] = couponRows.parse(
    await query(`select id, tool_id as "toolId", version from coupon_codes where code = $1`, [code]),
  );
  const answer = await postForm(page, "/admin/coupons.data", {
    intent: "update",
    id: coupon.id,
    version: String(coupon.version - versionsBehind),
    code,
    toolId: coupon.toolId,
    discountPercentage,
    usageLimit: "",
    expiresAt: "",
    isActive: "on",
  });
  return answer.text();
}

test("an admin adds, changes and deletes a coupon code, at 1280 px", async ({ shop, page }) => {
  await openAsAdmin(shop, "/admin/coupons");
  await expect(page.getByRole("tab", { name: /^Coupon Codes \(\d+\)$/, selected: true })).toBeVisible();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const code = "TEA-1280";
  const row = rowOf(page, code);
  const form = page.getByRole("dialog", { name: "Add Coupon Code" });

  await test.step("the form refuses what is missing, and forces upper case while one types", async () => {
    await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
    await expect(form.getByLabel("Discount Percentage")).toHaveValue("0");
    await expect(form.getByLabel("Active")).toBeChecked();
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByText("Enter the coupon code.")).toBeVisible();
    await expect(form.getByText("Choose a tool.")).toBeVisible();
    await expect(form.getByText("Enter a discount from 1 to 100 percent.")).toBeVisible();
    await expectAccessible(page, "admin coupons form", DIALOG);
    await form.getByLabel("Coupon Code").pressSequentially(code.toLowerCase());
    await expect(form.getByLabel("Coupon Code")).toHaveValue(code);
    await form.getByLabel("Tool").selectOption("Surfshark VPN");
    await expect(form.getByText(/^This tool is sold by chat only/)).toBeVisible();
    await form.getByLabel("Tool").selectOption("Canva");
    await expect(form.getByText(/^This tool is sold by chat only/)).toHaveCount(0);
    await form.getByLabel("Discount Percentage").fill("101");
    await expect(form.getByText("Enter a discount from 1 to 100 percent.")).toBeVisible();
    await form.getByLabel("Discount Percentage").fill("25");
  });

  await test.step("a coupon whose expiry is typed in part is not created", async () => {
    await form.getByLabel("Expiry Date").pressSequentially("12312026");
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByLabel("Expiry Date")).toBeFocused();
    await expect(form.getByRole("button", { name: "Create Coupon" })).toBeVisible();
  });

  await test.step("a coupon whose end has passed is refused with the reason", async () => {
    await form.getByLabel("Expiry Date").fill("2020-01-31T10:00");
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByText("This time has passed.")).toBeVisible();
    await form.getByLabel("Expiry Date").fill("2099-01-31T10:00");
    await expect(form.getByText("This time has passed.")).toHaveCount(0);
    await form.getByLabel("Expiry Date").fill("");
    await expect(row).toHaveCount(0);
  });

  await test.step("a coupon is created once", async () => {
    const created = "Coupon code created successfully!";
    await expectBanner(page, created, () => form.getByRole("button", { name: "Create Coupon" }).dblclick());
    await expect(form).toBeHidden();
    await expect(page.getByText(created)).toBeHidden();
    for (const text of ["Canva", "25%", "Unlimited", "0", "Active", "No expiry"]) {
      await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    }
  });

  await test.step("another coupon may not have the same code, and the form stays as it was typed", async () => {
    await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
    await form.getByLabel("Coupon Code").fill(code.toLowerCase());
    await form.getByLabel("Tool").selectOption("Udemy");
    await form.getByLabel("Discount Percentage").fill("5");
    await form.getByRole("button", { name: "Create Coupon" }).click();
    await expect(form.getByText("Another coupon has this code.")).toBeVisible();
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard Changes" }).click();
  });

  await test.step("a coupon is changed", async () => {
    await pressRowAction(row, "Edit");
    const edit = page.getByRole("dialog", { name: "Edit Coupon Code" });
    await expect(edit.getByLabel("Coupon Code")).toHaveValue(code);
    await edit.getByLabel("Usage Limit").fill("40");
    await edit.getByLabel("Expiry Date").fill("2031-12-31T23:59");
    await edit.getByLabel("Active").uncheck();
    await expectBanner(page, "Coupon code updated successfully!", () =>
      edit.getByRole("button", { name: "Update Coupon" }).click(),
    );
    for (const text of ["40", "Inactive", "31/12/31"]) {
      await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    }
  });

  await test.step("a deletion is confirmed first, and then with the password, whose last entry is long ago", async () => {
    await makePasswordEntriesOld();
    await pressRowAction(row, "Delete");
    const question = page.getByRole("dialog", {
      name: "Are you sure you want to delete this coupon code?",
    });
    await expectAccessible(page, "admin coupons delete", DIALOG);
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toBeHidden();
    await pressRowAction(row, "Delete");
    await question.getByRole("button", { name: "Delete Coupon Code" }).click();
    const password = page.getByRole("dialog", { name: "Enter your password" });
    await expect(password).toBeVisible();
    await expect(question).toBeHidden();
    await expect(page.locator("tr", { hasText: code })).toBeVisible();
    await expectBanner(page, "Coupon code deleted successfully!", () => enterPassword(page));
    await expect(row).toBeHidden();
  });
});

test("an admin finds coupon codes, sees their latest uses, and changes none that another admin has changed", async ({
  shop,
  page,
}) => {
  const canva = await addCoupon({ slug: "canva", discountPercentage: 20 });
  const udemy = await addCoupon({ slug: "udemy", discountPercentage: 12, expiresAt: new Date(0) });
  await addCoupon({ slug: "udemy", discountPercentage: 5, isActive: false, usageLimit: 2_500 });
  const emails = await insertUses(canva, 12);
  await openAsAdmin(shop, "/admin/coupons");

  await test.step("an admin finds coupon codes by code, by tool name and by the tool filter", async () => {
    await expect(rowOf(page, udemy).getByText("Expired")).toBeVisible();
    await expectAccessible(page, "admin coupons");
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
    await expectAccessible(page, "admin coupons empty", "main");
    await search(page).fill(canva);
  });

  await test.step("an admin sees the latest ten uses of a coupon code", async () => {
    await rowOf(page, canva)
      .getByRole("link", { name: `Latest uses of ${canva}: 12` })
      .click();
    const uses = page.getByRole("dialog", { name: `Latest uses of ${canva}` });
    await expect(uses.getByText("Used 12 times. The latest 10:")).toBeVisible();
    const rows = uses.getByRole("table").getByRole("row");
    await expect(rows).toHaveCount(11);
    await expect(rows.nth(1)).toContainText(emails[11] ?? "");
    await expect(rows.nth(1)).toContainText("₹119.20");
    await expect(rows.nth(10)).toContainText(emails[2] ?? "");
    await expectAccessible(page, "admin coupons uses", DIALOG);
    await page.goBack();
    await expect(uses).toBeHidden();
    await expect(rowOf(page, canva)).toBeVisible();
  });

  await test.step("a change of another admin appears by itself and leaves an open form alone", async () => {
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await pressRowAction(rowOf(page, canva), "Edit");
    const edit = page.getByRole("dialog", { name: "Edit Coupon Code" });
    await edit.getByLabel("Discount Percentage").fill("35");
    expect(await saveAsOtherAdmin(page, canva, "31")).toContain("Coupon code updated successfully!");
    expect(await saveAsOtherAdmin(page, canva, "32", 1)).toContain("so nothing was saved");
    await expect(page.locator("td", { hasText: "31%" })).toBeAttached();
    await expect(edit.getByLabel("Discount Percentage")).toHaveValue("35");
    await expect(edit.getByRole("button", { name: "Update Coupon" })).toHaveCount(0);
    await expect(edit.getByText(/^Someone else has changed this in the meantime/)).toBeVisible();
    await expect(edit.getByLabel("Discount Percentage")).toHaveValue("35");
    await edit.getByRole("button", { name: "Discard Mine and Show Theirs" }).click();
    await expect(edit.getByLabel("Discount Percentage")).toHaveValue("31");
    await edit.getByLabel("Discount Percentage").fill("36");
    await edit.getByRole("button", { name: "Update Coupon" }).click();
    await expect(edit).toBeHidden();
    await expect(rowOf(page, canva).getByRole("cell", { name: "36%" })).toBeVisible();
  });
});
