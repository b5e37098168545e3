import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { makePasswordEntriesOld, query } from "./shop-database.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { signInAsNewUser } from "./test-users.ts";

const CODE = "CANVA-9P3V-Z9D9";

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Enter your password" });

async function enterPassword(page: Page): Promise<void> {
  await dialogOf(page).getByLabel("Password", { exact: true }).fill(ADMIN_PASSWORD);
  await dialogOf(page).getByRole("button", { name: "Continue" }).click();
  await expect(dialogOf(page)).toBeHidden();
}

test.describe("at 390 px", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("settings keep what was typed while the admin enters the password, and are then saved", async ({
    shop,
    page,
  }) => {
    await signInAsAdmin(shop);
    await shop.open("/admin/settings");
    const number = page.getByLabel("Support number 1", { exact: true });
    const before = await number.inputValue();
    await makePasswordEntriesOld();
    await number.fill("+919811122233");
    const save = page.getByRole("button", { name: "Save Settings" });
    await save.click();
    await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
    await expect(number).toHaveValue("+919811122233");
    expect(JSON.stringify(await query("select value from settings", []))).not.toContain("+919811122233");
    await save.click();
    await expect(dialogOf(page).getByLabel("Password", { exact: true })).toBeFocused();
    await expectAccessible(page, "settings ask for the password");
    await enterPassword(page);
    await expect(page.getByText("Settings saved.")).toBeVisible();
    await expect(number).toHaveValue("+919811122233");
    await number.fill(before);
    await save.click();
    // The message of the first save may still be there.
    await expect
      .poll(async () => JSON.stringify(await query("select value from settings", [])))
      .not.toContain("+919811122233");
  });

  test("an admin gives a pass only after the password, without choosing the tool again", async ({
    shop,
    page,
    openOtherBrowser,
  }) => {
    const buyer = await openOtherBrowser();
    const { email } = await signInAsNewUser(buyer.page);
    await signInAsAdmin(shop);
    await shop.open(`/admin?q=${encodeURIComponent(email)}`);
    await makePasswordEntriesOld();
    await page.getByRole("button", { name: "Add Tools" }).click();
    const tools = page.getByRole("dialog", { name: /^Assign Tools to / });
    await tools
      .getByRole("listitem")
      .filter({ hasText: "Canva" })
      .getByRole("button", { name: "Assign" })
      .click();
    await expect(dialogOf(page)).toBeVisible();
    const passes = () =>
      query("select p.id from user_purchases p join users u on u.id = p.user_id where u.email = $1", [email]);
    expect(await passes()).toHaveLength(0);
    await enterPassword(page);
    await expect(page.getByText("Tool assigned.")).toBeVisible();
    expect(await passes()).toHaveLength(1);
  });

  test("the list of access codes and a tool page show an admin no code before the password", async ({
    shop,
    page,
  }) => {
    await signInAsAdmin(shop);
    await makePasswordEntriesOld();
    await shop.open("/admin/access-codes?q=Canva");
    const table = page.getByRole("table", { name: "Access codes" });
    await expect(table.getByText("Hidden").first()).toBeVisible();
    await expect(page.getByText(CODE)).toHaveCount(0);
    await expectAccessible(page, "access codes without a recent password");
    await page.getByRole("button", { name: "Show Codes" }).click();
    await enterPassword(page);
    await expect(table.getByText(CODE, { exact: true })).toBeVisible();

    await makePasswordEntriesOld();
    await shop.open("/tools/canva");
    const server = page.getByRole("list", { name: "Servers" }).getByRole("listitem").first();
    await server.getByRole("button", { name: "Show code" }).click();
    await expect(dialogOf(page).getByLabel("Password", { exact: true })).toBeFocused();
    await expectAccessible(page, "tool page asks for the password");
    await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
    await expect(server.getByRole("textbox")).toHaveCount(0);
    await server.getByRole("button", { name: "Show code" }).click();
    await enterPassword(page);
    await expect(server.getByRole("textbox")).toHaveValue(CODE);
  });
});
