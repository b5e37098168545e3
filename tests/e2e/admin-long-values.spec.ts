import { expect, type Page } from "@playwright/test";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query, setCodeActive } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

async function openTab(shop: ShopPage, name: RegExp): Promise<void> {
  await signInAsAdmin(shop);
  await shop.page.getByRole("tab", { name }).click();
}

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

test.afterEach(async () => {
  await query("update tools set name = 'Udemy' where slug = 'udemy'", []);
  await setCodeActive("udemy", "Server 1", true);
});

for (const width of [1280, 1024, 390]) {
  test(`a long name without spaces leaves the actions of its row on the screen, at ${width} px`, async ({
    shop,
    page,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    const name = "W".repeat(80);
    await query("update tools set name = $1 where slug = 'udemy'", [name]);
    await setCodeActive("udemy", "Server 1", false);
    await openTab(shop, /^Tools Management/);
    const box = await rowOf(page, name).getByRole("button", { name: "Edit" }).boundingBox();
    expect(box?.x ?? width).toBeGreaterThan(0);
    expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);

    await page.getByRole("tab", { name: /^Coupon Codes/ }).click();
    const filter = page.getByRole("combobox", { name: "Tool", exact: true });
    await expect(filter.getByRole("option", { name })).toBeAttached();
    expect((await filter.boundingBox())?.width).toBeLessThanOrEqual(width === 390 ? 358 : 256);
    const [filterBox, searchBox] = [
      await filter.boundingBox(),
      await page.getByRole("searchbox").boundingBox(),
    ];
    if (width > 390) expect(Math.abs((filterBox?.y ?? 0) - (searchBox?.y ?? 0))).toBeLessThan(10);
    // What a long name leaves of the server without a code is readable.
    await page.getByText("Overview", { exact: true }).click();
    const concern = page.getByRole("region", { name: "Overview" }).getByRole("listitem");
    const server = concern.filter({ hasText: name }).getByText("Server 1", { exact: true });
    await expect(server).toBeVisible();
    expect(await server.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  });
}

test("the first letter of a name that begins with an emoji is the emoji", async ({ shop, page }) => {
  await query("update tools set name = '🎬 Udemy' where slug = 'udemy'", []);
  await shop.open("/");
  const card = page.getByRole("listitem").filter({ hasText: "🎬 Udemy" }).first();
  await expect(card).toBeVisible();
  expect(await page.locator("body").innerText()).not.toContain("\uFFFD");
});

test("a name of 10,000 letters is refused with the limit, and nothing is cut", async ({ shop, page }) => {
  await openTab(shop, /^Tools Management/);
  await page.getByRole("button", { name: "+ Add Tool" }).click();
  const form = page.getByRole("dialog", { name: "Add Tool" });
  const name = form.getByLabel("Tool Name", { exact: true });
  await name.fill("हिंदी टूल");
  await expect(form.getByText(/^Its address will be like \/tools\/tool-2, and stays/)).toBeVisible();
  await name.fill("Canva Pro");
  await expect(form.getByText("Its address will be like /tools/canva-pro, and stays.")).toBeVisible();
  await name.fill("a".repeat(10_000));
  await expect(name).toHaveValue("a".repeat(10_000));
  await form.getByLabel("Description", { exact: true }).fill("Long.");
  await form.getByRole("button", { name: "Add Tool", exact: true }).click();
  await expect(form.getByText("At most 80 characters.")).toBeVisible();
});

test("a typed option of 30 days at price 0 is refused and not dropped", async ({ shop, page }) => {
  await openTab(shop, /^Tools Management/);
  await page.getByRole("button", { name: "+ Add Tool" }).click();
  const form = page.getByRole("dialog", { name: "Add Tool" });
  await form.getByLabel("Tool Name", { exact: true }).fill("Free month");
  await form.getByLabel("Description", { exact: true }).fill("Nothing.");
  await form.getByLabel("Option price", { exact: true }).fill("");
  await form.getByLabel("Option price", { exact: true }).fill("0");
  await form.getByRole("button", { name: "Add Tool", exact: true }).click();
  await expect(form.getByText("Enter a price above 0.")).toBeVisible();
  await form.getByRole("button", { name: "Discard Option" }).click();
  await form.getByRole("button", { name: "Add Tool", exact: true }).click();
  await expect(form).toHaveCount(0);
  await query("delete from tools where name = 'Free month'", []).catch(() => undefined);
});

test("a coupon whose end has passed is refused with the reason", async ({ shop, page }) => {
  await openTab(shop, /^Coupon Codes/);
  await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
  const form = page.getByRole("dialog", { name: "Add Coupon Code" });
  await form.getByLabel("Coupon Code").fill("LASTYEAR");
  await form.getByLabel("Tool", { exact: true }).selectOption("Canva");
  await form.getByLabel("Discount Percentage").fill("10");
  await form.getByLabel("Expiry Date (optional)").fill("2020-01-31T10:00");
  await form.getByRole("button", { name: "Create Coupon" }).click();
  await expect(form.getByText("This time has passed.")).toBeVisible();
  await form.getByLabel("Expiry Date (optional)").fill("2099-01-31T10:00");
  await expect(form.getByText("This time has passed.")).toHaveCount(0);
});

test("an error of Extend goes away when the value changes, and the audit log names the changed fields", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await openTab(shop, /^User Purchases/);
  await page.getByRole("searchbox", { name: /^Search by user email/ }).fill(email);
  await rowOf(page, email).getByRole("button", { name: "Extend" }).click();
  const dialog = page.getByRole("dialog", { name: "Extend Canva" });
  await dialog.getByLabel("Days", { exact: true }).fill("0");
  await dialog.getByRole("button", { name: "Extend", exact: true }).click();
  const days = dialog.getByText("Please enter a whole number of days, 1 to 3650.");
  await expect(days).toBeVisible();
  await dialog.getByLabel("Days", { exact: true }).fill("3");
  await expect(days).toHaveCount(0);
  await dialog.getByText("Until a date").click();
  const date = dialog.getByLabel("New expiry date");
  await date.fill("01-01-2020");
  await dialog.getByRole("button", { name: "Set Date" }).click();
  const refused = dialog.locator("[role=alert] p");
  await expect(refused).toHaveCount(1);
  await date.fill("01-01-2099");
  await expect(refused).toHaveCount(0);

  await query("update sessions set password_entered_at = now()", []);
  await page.goto("/admin/tools?q=QuillBot");
  await rowOf(page, "QuillBot").getByRole("button", { name: "Edit" }).click();
  const form = page.getByRole("dialog", { name: "Edit Tool" });
  await form.getByText("More settings").click();
  await form.getByLabel("Badge", { exact: true }).fill("Loved");
  await form.getByRole("button", { name: "Update Tool" }).click();
  await expect(form).toHaveCount(0);
  await page.goto("/admin/audit?q=tool.updated");
  await expect(page.getByText("Changed the tool QuillBot: badge").first()).toBeVisible();
});
