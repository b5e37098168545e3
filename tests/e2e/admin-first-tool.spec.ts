import { rmSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";
import { freePort } from "../free-port.ts";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { expectBanner, onWidePage, pressRowAction, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name });

const banner = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text });

const button = (part: Page | Locator, name: string) => part.getByRole("button", { name, exact: true });

/** By its tag: behind a dialog it has no role. */
const rowOf = (page: Page, tool: string) =>
  page.locator('table[aria-label="Tools"] tr').filter({ has: page.getByText(tool, { exact: true }) });

/** Adds two codes; each buyer gets a code. */
async function addFirstCodes(page: Page, tool: string): Promise<void> {
  await page.getByRole("tab", { name: /^Access Codes/ }).click();
  await button(page, "Add Several").click();
  const form = dialogOf(page, "Add several access codes");
  await form.getByRole("button", { name: new RegExp(`^${tool}`) }).click();
  await expect(form.getByLabel("Server Name")).toHaveValue("Server 1");
  await form.getByLabel("Simple Codes").fill("OWN-1\nOWN-2");
  await button(form, "Add Access Codes").click();
  await expect(form.getByText("Choose who gets these codes.")).toBeVisible();
  await form.getByLabel("One code per buyer").check();
  await takeScreenshot(page, "codes-per-buyer-390");
  await expectBanner(page, "2 access codes added.", () => button(form, "Add Access Codes").click());
}

const codeRow = (page: Page, code: string) =>
  page.getByRole("table", { name: "Access codes" }).getByRole("row").filter({ hasText: code });

test("the owner of an empty shop adds the first tool by hand, and it is on the home page when it has a code, at 390 px", async ({
  browser,
}) => {
  // It starts a shop of its own.
  test.slow();
  const dataDir = makeDataDir();
  const settings = { ADMIN_PASSWORD, DEMO: "0" };
  const empty = await startShopProcess({ dataDir, port: await freePort(), settings });
  const context = await browser.newContext({
    baseURL: empty.url,
    viewport: { width: 390, height: 844 },
  });
  try {
    const page = await context.newPage();
    const shop = new ShopPage(page);
    await signInAsAdmin(shop);
    await page.getByRole("tab", { name: /^Tools Management/ }).click();
    await expect(shop.heading("No tools found")).toBeVisible();
    await expect(page.getByText("Get started by adding your first tool.")).toBeVisible();

    await button(page, "+ Add Tool").click();
    const dialog = dialogOf(page, "Add Tool");
    const field = (label: string) => dialog.getByLabel(label, { exact: true });
    await expect(field("Tool Name")).toHaveValue("");
    await expect(field("Description")).toHaveValue("");
    await expect(field("Validity (Days)")).toHaveValue("12");
    await expect(field("Price")).toHaveValue("0");
    await expect(field("Original Price")).toHaveValue("");
    await expect(field("Stock")).toHaveValue("0");
    await expect(field("Tool is active")).toBeChecked();

    await button(dialog, "Add Tool").click();
    await expect(dialog.getByText("Enter the tool’s name.")).toBeVisible();
    await expect(dialog.getByText("Enter a description.")).toBeVisible();
    await field("Tool Name").fill("Film Pass");
    await field("Description").fill("Films and series. All of them.");
    await field("Validity (Days)").fill("0");
    await button(dialog, "Add Tool").click();
    await expect(dialog.getByText(/^Enter the validity in whole days from 1/)).toBeVisible();
    await field("Validity (Days)").fill("15");
    await field("Price").fill("99.50");
    await field("Original Price").fill("199");
    await field("Stock").fill("7");

    // Features: trimmed, each once, removable.
    const feature = dialog.getByRole("textbox", { name: "Features" });
    const chips = dialog.getByRole("list", { name: "Features" }).getByRole("listitem");
    await feature.fill("  4K  ");
    await feature.press("Enter");
    await feature.fill("4K");
    await button(dialog, "Add").click();
    await feature.fill("   ");
    await feature.press("Enter");
    await expect(chips).toHaveText(["4K"]);
    await feature.fill("Two screens");
    await button(dialog, "Add").click();
    await feature.fill("Wrong");
    await feature.press("Enter");
    await button(dialog, "Remove Wrong").click();
    await expect(chips).toHaveText(["4K", "Two screens"]);
    await expect(feature).toBeFocused();

    await expectBanner(page, "Tool added.", () => button(dialog, "Add Tool").click());
    await expect(dialog).toBeHidden();
    const row = rowOf(page, "Film Pass");
    await expect(row.getByText("Films and series. All of them.")).toBeVisible();
    await expect(row.getByText("₹99.50")).toBeVisible();
    await expect(row.getByText("7 in stock")).toBeVisible();
    await onWidePage(page, async () => {
      await expect(row.locator("s").getByText("₹199")).toBeVisible();
      await expect(row.getByText("Expires: Purchase Date + 15 days")).toBeVisible();
      await expect(row.getByText("Active", { exact: true })).toBeVisible();
    });
    await expect(page.getByRole("tab", { name: "Tools Management (1)" })).toBeVisible();
    await expect(banner(page, "Tool added.")).toHaveCount(0, { timeout: 6_000 });

    // Its pass would open nothing: it is on sale only when the owner says so twice, or when it has a code.
    await expect(row.getByText("Not ready", { exact: true })).toBeVisible();
    await expect(
      row.getByText("No active code, no single credential that fits, and no tool website: not on sale."),
    ).toBeVisible();
    await expectAccessible(page, "tool-not-ready", "table");
    const visitor = await browser.newContext({ baseURL: empty.url });
    const home = new ShopPage(await visitor.newPage());
    await home.open("/");
    await expect(home.heading("No tools yet")).toBeVisible();
    await row.getByRole("button", { name: "Sell it anyway" }).click();
    const selling = dialogOf(page, "Sell Film Pass although it is not ready?");
    await expect(button(selling, "Cancel")).toBeFocused();
    await takeScreenshot(page, "sell-not-ready-390");
    await button(selling, "Sell It Anyway").click();
    await expect(row.getByText(/sold anyway, and buyers get nothing\.$/)).toBeVisible();
    await expect(home.card("Film Pass")).toBeVisible();
    await row.getByRole("button", { name: "Stop selling" }).click();
    await button(dialogOf(page, "Stop selling Film Pass?"), "Stop Selling").click();
    await expect(row.getByText(/not on sale\.$/)).toBeVisible();
    await expect(home.card("Film Pass")).toBeHidden();
    await addFirstCodes(page, "Film Pass");
    await expect(home.card("Film Pass").getByText("2 left")).toBeVisible();

    // The first reveal takes a code, and the owner sees whose it is.
    await expect(codeRow(page, "OWN-1").getByText("Unused")).toBeVisible();
    const { email } = await signInAsNewUser(home.page);
    await buyPass(home.page, "film-pass", "15 Days");
    await home.open("/tools/film-pass");
    await home.server("Server 1").getByRole("button", { name: "Show code" }).click();
    await expect(home.server("Server 1").getByLabel("The code for Server 1")).toHaveValue("OWN-1");
    await expect(codeRow(page, "OWN-1").getByText("Used", { exact: true })).toBeVisible();
    await expect(codeRow(page, "OWN-1").getByText(email)).toBeVisible();
    await expect(codeRow(page, "OWN-2").getByText("Unused")).toBeVisible();
    await expectAccessible(page, "code-of-a-buyer", "table");
    await visitor.close();
    await page.getByRole("tab", { name: /^Tools Management/ }).click();
    await expect(row.getByText("Not ready", { exact: true })).toBeHidden();
    await expect(row.getByText("1 in stock")).toBeVisible();
    await pressRowAction(row, "Edit");
    const stock = dialogOf(page, "Edit Tool").getByLabel("Stock");
    await expect(stock).toHaveValue("1");
    await expect(stock).not.toBeEditable();
    await takeScreenshot(page, "stock-of-codes-390");
    await button(dialogOf(page, "Edit Tool"), "Cancel").click();

    await shop.open("/");
    await expect(shop.card("Film Pass").getByText("1 left")).toBeVisible();
    await expect(shop.card("Film Pass").getByText("Two screens")).toBeVisible();
  } finally {
    await context.close();
    await empty.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
