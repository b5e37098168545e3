import { expect } from "@playwright/test";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { expectBanner, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { setStock } from "./payment-records.ts";
import { query, readStock } from "./shop-database.ts";
import { newEmail, PASSWORD } from "./test-users.ts";

test.use({ isTranslated: true });

test.describe.configure({ timeout: 240_000 });

const TOOL = "Premium Netflix Access";
const SLUG = "premium-netflix-access";

test("a visitor asks to be told when a tool is back, signs in first, and can buy when the owner raises the stock", async ({
  shop,
  page,
  baseURL,
  openOtherBrowser,
}) => {
  const stockBefore = await readStock(SLUG);
  await setStock(SLUG, 0);
  const email = newEmail();
  const ask = page.getByRole("button", { name: "Tell me when it’s back" });
  const takeBack = page.getByRole("button", { name: "Cancel alert", exact: true });
  // The shop of the tests has no mail server.
  const promise = page.getByText("You’re on the list. This shop can’t send email yet, so please check back.");
  await page.setViewportSize({ width: 390, height: 844 });
  await shop.open(`/shop/${SLUG}`);

  await test.step("a visitor signs in first; who closes the dialog asks for nothing", async () => {
    await expect(page.getByRole("button", { name: `Out of stock ${TOOL}` })).toBeDisabled();
    await ask.click();
    await expect(
      shop.signIn.root.getByText(`Sign in, and we’ll put you on the list for ${TOOL}.`),
    ).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(shop.signIn.root).toBeHidden();
    await expect(ask).toBeVisible();
    await ask.click();
    await shop.signIn.button("Create an Account").click();
    await shop.signIn.fill({ email, password: PASSWORD });
    await page.keyboard.press("Enter");
    await expect(promise).toBeVisible();
  });

  await test.step("the page keeps it, and a second press takes it back", async () => {
    await expectAccessible(page, "waiting for a tool");
    await shop.reload();
    await expect(promise).toBeVisible();
    await takeBack.click();
    await expect(ask).toBeFocused();
    await expect(promise).toBeHidden();
    await shop.reload();
    await ask.click();
    await expect(promise).toBeVisible();
  });

  const owner = await openOtherBrowser();
  await openAsAdmin(owner, `/admin/tools?q=${SLUG}`);
  const row = owner.page.locator('table[aria-label="Tools"] tr').filter({ hasText: TOOL });
  const badge = row.getByRole("button", { name: `1 waiting for ${TOOL}` });

  await test.step("the owner sees who waits, and shares the news on WhatsApp", async () => {
    await badge.click();
    const dialog = owner.page.getByRole("dialog", { name: `Waiting for ${TOOL}` });
    await expect(dialog.getByText(email, { exact: true })).toBeVisible();
    const share = dialog.getByRole("link", { name: "Share “it’s back” on WhatsApp" });
    const link = new URL((await share.getAttribute("href")) ?? "");
    expect(link.origin + link.pathname).toBe("https://wa.me/");
    expect(link.searchParams.get("text")).toBe(`${TOOL} is back: ${baseURL}/shop/${SLUG}`);
    await expectAccessible(owner.page, "who waits for a tool", "[role=dialog]");
    await takeScreenshot(owner.page, "who waits for a tool");
    await owner.page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("once the owner has raised the stock, the buyer can buy; without a mail server the owner keeps the list", async () => {
    await pressRowAction(row, "Edit");
    const editing = owner.page.getByRole("dialog", { name: "Edit Tool" });
    await editing.getByLabel("Stock").fill(String(stockBefore));
    await expectBanner(owner.page, "Tool updated.", () =>
      editing.getByRole("button", { name: "Update Tool" }).click(),
    );
    await expect(page.getByRole("button", { name: `Get access to ${TOOL}` }).first()).toBeVisible();
    await expect(ask).toBeHidden();
    await expect(badge).toBeVisible();
    await query("delete from stock_alerts", []);
  });
});
