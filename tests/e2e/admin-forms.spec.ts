import { expect } from "@playwright/test";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";

test("a pricing option that is typed and not added is added with its tool, and a wrong one stops the form", async ({
  shop,
  page,
}) => {
  await signInAsAdmin(shop);
  await page.getByRole("tab", { name: /^Tools Management/ }).click();
  await page.getByRole("button", { name: "+ Add Tool" }).click();
  const dialog = page.getByRole("dialog", { name: "Add Tool" });
  const field = (label: string) => dialog.getByLabel(label, { exact: true });
  // The first field has the focus, so a name can be typed at once.
  await page.keyboard.type("Quiet Studio");
  await expect(field("Tool Name")).toHaveValue("Quiet Studio");
  await field("Description").fill("For quiet hours.");
  await field("Validity days").fill("0");
  await field("Option price").fill("249");
  await dialog.getByRole("button", { name: "Add Tool", exact: true }).click();
  await expect(dialog.getByRole("alert").filter({ hasText: /./ }).first()).toBeVisible();
  await expect(field("Option price")).toHaveValue("249");
  await field("Validity days").fill("90");
  await dialog.getByRole("button", { name: "Add Tool", exact: true }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole("row").filter({ has: page.getByText("Quiet Studio", { exact: true }) });
  await expect(row.getByText("₹249")).toBeVisible();
  // Other tests of this shop count its tools.
  await query("update tools set deleted_at = now() where name = 'Quiet Studio'", []);
});

test("a coupon whose expiry is typed in part is not created", async ({ shop, page }) => {
  await signInAsAdmin(shop);
  await shop.open("/admin/coupons");
  await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
  const form = page.getByRole("dialog", { name: "Add Coupon Code" });
  await form.getByLabel("Coupon Code").fill("PARTLY");
  await form.getByLabel("Tool").selectOption("Canva");
  await form.getByLabel("Discount Percentage").fill("10");
  await form.getByLabel("Expiry Date").pressSequentially("12312026");
  await form.getByRole("button", { name: "Create Coupon" }).click();
  await expect(form.getByLabel("Expiry Date")).toBeFocused();
  await form.getByLabel("Expiry Date").fill("2026-12-31T10:00");
  await form.getByRole("button", { name: "Create Coupon" }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole("row").filter({ hasText: "PARTLY" }).getByText("31/12/26")).toBeVisible();
});
