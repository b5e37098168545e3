import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import {
  becomeAdmin,
  enterPassword,
  expectBanner,
  onWidePage,
  openAsAdmin,
  pressRowAction,
} from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { makePasswordEntriesOld, query } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";

test.use({ isTranslated: true, viewport: { width: 390, height: 844 } });
// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const DIALOG = "[role=dialog]";
const CODE = "CANVA-9P3V-Z9D9";

const rowOf = (page: Page, text: string) =>
  page.getByRole("table", { name: "Access codes" }).getByRole("row").filter({ hasText: text });
const passwordDialogOf = (page: Page) => page.getByRole("dialog", { name: "Enter your password" });

test("an admin adds, changes and deletes access codes, one by one or from a list, at 390 px", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin/access-codes");
  await expect(page.getByRole("tab", { name: /^Access Codes \(\d+\)$/, selected: true })).toBeVisible();
  const row = rowOf(page, "TEA-390");

  await test.step("an admin adds an access code", async () => {
    await page.getByRole("button", { name: "+ Add Access Code" }).click();
    const form = page.getByRole("dialog", { name: "Add Access Code" });
    const session = form.getByLabel("Session Code");
    await expect(session).toHaveAttribute("placeholder", "Select a tool first");
    await expect(session).not.toBeEditable();
    await expect(form.getByLabel("Active", { exact: true })).toBeChecked();
    await form.getByLabel("Simple Code").fill("TEA-390");
    await form.getByRole("button", { name: "Add Access Code" }).click();
    await expect(form.getByText("Please select a tool first.")).toBeVisible();
    await expectAccessible(page, "admin codes pick", DIALOG);
    await form.getByRole("button", { name: /^Udemy/ }).click();
    await expect(session).toHaveValue(/^Udemy-\d{13}-[0-9a-f]{32}$/);
    await expect(form.getByRole("button", { name: "Change" })).toBeFocused();
    await form.getByRole("button", { name: "Change" }).click();
    await expect(session).toHaveValue("");
    const search = form.getByRole("searchbox", { name: "Search tools" });
    const found = form.getByRole("list", { name: "Active tools" }).getByRole("button");
    await expect(search).toBeFocused();
    await page.keyboard.type("no such tool");
    await expect(form.getByText("No tools match your search.")).toBeVisible();
    await search.fill("a");
    await page.keyboard.press("ArrowDown");
    await expect(found.first()).toBeFocused();
    await page.keyboard.press("ArrowUp");
    await expect(search).toBeFocused();
    // Enter picks nothing while several are left.
    await page.keyboard.press("Enter");
    await expect(session).toHaveValue("");
    await search.fill("canv");
    await expect(found).toHaveCount(1);
    await page.keyboard.press("Enter");
    await expect(session).toHaveValue(/^Canva-\d{13}-[0-9a-f]{32}$/);
    const sessionCode = await session.inputValue();
    // The server is one of the tool's.
    expect(await form.getByLabel("Server Name").getByRole("option").allInnerTexts()).toEqual([
      "Select a server",
      "Server 1",
    ]);
    await expect(form.getByLabel("Server Name")).toHaveValue("Server 1");
    await expectAccessible(page, "admin codes add", DIALOG);
    await expectBanner(page, "Access code added.", () =>
      form.getByRole("button", { name: "Add Access Code" }).click(),
    );
    await expect(form).toBeHidden();
    await onWidePage(page, async () => {
      for (const text of ["Canva", "Server 1", "TEA-390", `${sessionCode.slice(0, 30)}…`, "Active"])
        await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    });
    await pressRowAction(row, "Edit");
    const edit = page.getByRole("dialog", { name: "Edit Access Code" });
    await expect(edit.getByLabel("Session Code")).toHaveValue(sessionCode);
  });

  await test.step("an admin changes an access code", async () => {
    const edit = page.getByRole("dialog", { name: "Edit Access Code" });
    await edit.getByLabel("Session Code").fill("");
    await edit.getByRole("button", { name: "Update Access Code" }).click();
    await expect(edit.getByText("Enter the session code.")).toBeVisible();
    await expectAccessible(page, "admin codes edit", DIALOG);
    await edit.getByLabel("Session Code").fill("own-session-390");
    await edit.getByLabel("Tool Name").selectOption("Udemy");
    await edit.getByLabel("Server Name").selectOption("Server 1");
    await edit.getByLabel("Active", { exact: true }).uncheck();
    await expectBanner(page, "Access code updated.", () =>
      edit.getByRole("button", { name: "Update Access Code" }).click(),
    );
    await onWidePage(page, async () => {
      for (const text of ["Udemy", "Server 1", "own-session-390", "Inactive"])
        await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    });
  });

  await test.step("an admin deletes an access code", async () => {
    await pressRowAction(row, "Delete");
    const question = page.getByRole("dialog", {
      name: "Are you sure you want to delete this access code?",
    });
    await makePasswordEntriesOld();
    await question.getByRole("button", { name: "Delete Access Code" }).click();
    await expectBanner(page, "Access code deleted.", () => enterPassword(page));
    await expect(row).toBeHidden();
  });

  await test.step("an admin adds several access codes from a pasted list", async () => {
    await page.getByRole("button", { name: "Add Several" }).click();
    const form = page.getByRole("dialog", { name: "Add several access codes" });
    await form.getByRole("button", { name: /^Udemy/ }).click();
    await form.getByLabel("Server Name").selectOption("Server 1");
    await expect(
      form.getByText("One code per line, at most 500 at once. Empty lines are skipped."),
    ).toBeVisible();
    const codes = [1, 2].map((number) => `LIST-390-${number}`);
    await form.getByLabel("Simple Codes").fill([codes[0], CODE, codes[0]].join("\n"));
    await form.getByRole("button", { name: "Add Access Codes" }).click();
    await expect(form.getByText("Choose who gets these codes.")).toBeVisible();
    await form.getByLabel("One code per buyer").check();
    await expect(form.getByText(/the stock of the tool becomes \d+\./)).toBeVisible();
    await form.getByLabel("One code for all").check();
    await expect(form.getByText(/the stock of the tool becomes/)).toHaveCount(0);
    await form.getByRole("button", { name: "Add Access Codes" }).click();
    await expect(page.locator(":focus")).toHaveText("No code was added. Please correct these lines:");
    await expect(form.getByText("Line 2: This code is already in use.")).toBeVisible();
    await expect(form.getByText("Line 3: This code is already on line 1.")).toBeVisible();
    await expectAccessible(page, "admin codes several", DIALOG);
    expect(await rowOf(page, codes[0] ?? "").count()).toBe(0);
    await form.getByLabel("Simple Codes").fill(`${codes.join("\n\n")}\n`);
    await expectBanner(page, "2 access codes added.", () =>
      form.getByRole("button", { name: "Add Access Codes" }).click(),
    );
    for (const code of codes) await expect(rowOf(page, code)).toContainText("Server 1");
    await query(
      `delete from access_codes where id in (
          select jsonb_array_elements_text(details -> 'ids')::uuid from audit_events where action = 'access-codes.added'
        )`,
      [],
    );
  });

  await test.step("an unknown search finds nothing", async () => {
    await page.getByRole("searchbox").fill("no-such-code");
    await expect(shop.heading("No access codes found")).toBeVisible();
  });
});

test("an admin sees the codes after the password, and opens a server connection with the selected one, at 390 px", async ({
  shop,
  page,
  context,
}) => {
  await becomeAdmin(page);
  await makePasswordEntriesOld();
  await shop.open("/admin/access-codes?q=Canva");
  const row = rowOf(page, CODE);
  const panel = page.getByRole("region", { name: "Selected Access Code" });
  const create = panel.getByRole("button", { name: "Create Server Connection" });
  const tool = panel.getByRole("list", { name: "Active tools" }).getByRole("button", { name: /^Canva/ });

  await test.step("the list of access codes shows no code before the password", async () => {
    const table = page.getByRole("table", { name: "Access codes" });
    await expect(table.getByText("Hidden").first()).toBeVisible();
    await expect(page.getByText(CODE)).toHaveCount(0);
    await expectAccessible(page, "access codes without a recent password", "main");
    await page.getByRole("button", { name: "Show Codes" }).click();
    await enterPassword(page);
    await expect(table.getByText(CODE, { exact: true })).toBeVisible();
  });

  await test.step("without an active tool none can be picked", async () => {
    await query("update tools set is_active = false", []);
    try {
      await row.getByText(CODE, { exact: true }).click();
      await expect(page.getByText("No active tools available")).toBeVisible();
    } finally {
      await query("update tools set is_active = true", []);
    }
    await expect(tool).toBeVisible();
    await panel.getByRole("button", { name: "Clear Selection" }).click();
    await expect(panel).toBeHidden();
  });

  await test.step("an admin opens a server connection with the selected access code", async () => {
    // With the keyboard, and by a click on the row.
    await row.getByRole("button", { name: "Canva", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(panel).toBeVisible();
    await panel.getByRole("button", { name: "Clear Selection" }).click();
    await expect(panel).toBeHidden();
    await row.getByText(CODE, { exact: true }).click();
    await expect(panel).toBeInViewport();
    await expect(row).toHaveAttribute("aria-selected", "true");
    await expect(tool).toHaveAttribute("aria-pressed", "true");
    const tools = panel.getByRole("list", { name: "Active tools" });
    expect(await tools.evaluate((list) => getComputedStyle(list).maxHeight)).toBe("384px");
    await expect(tool).toContainText(/₹\d+/);
    await expect(tool).toContainText(/\d+ available/);
    await tool.click();
    await expect(create).toBeVisible();
    await expectAccessible(page, "admin codes");
    const opened: string[] = [];
    const sent: string[] = [];
    context.on("request", (request) => {
      opened.push(request.url());
      sent.push(`${request.url()} ${request.headers().referer ?? ""}`);
    });
    const [tab] = await Promise.all([context.waitForEvent("page"), create.dblclick()]);
    await expect(tab).toHaveURL(/\/tools\/canva\?server=canva-server-1$/);
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    expect(context.pages()).toHaveLength(2);
    const connection = opened.map((url) => new URL(url)).find((url) => url.searchParams.has("accessCode"));
    expect(connection?.pathname).toBe("/tools/canva");
    expect(connection?.searchParams.get("accessCode")).toBe(CODE);
    expect(connection?.searchParams.get("sessionCode")).toMatch(/^Canva-\d{13}-[0-9a-f]{32}$/);
    // Nothing else that the browser has sent has a code, in its address or as the page that it comes from.
    await tab.waitForLoadState("networkidle");
    expect(sent.filter((text) => /accessCode|sessionCode|CANVA-9P3V/.test(text))).toHaveLength(1);
    expect(await tab.evaluate(() => document.referrer)).not.toContain("Code=");
    await tab.close();
    await expect(panel).toBeHidden();
    // The page has moved under the pointer: the second click of a double click may fall on the row.
    await row.getByText(CODE, { exact: true }).dispatchEvent("click", { detail: 2 });
    await expect(row).toHaveAttribute("aria-selected", "false");
  });

  await test.step("a server connection asks for a password that was entered long ago, and then opens", async () => {
    await row.getByText(CODE, { exact: true }).click();
    await tool.click();
    await makePasswordEntriesOld();
    const [tab] = await Promise.all([context.waitForEvent("page"), create.click()]);
    await expect(passwordDialogOf(tab)).toBeVisible();
    await expect(tab).toHaveURL(/\/admin\/access-codes$/);
    await passwordDialogOf(tab).getByRole("button", { name: "Cancel" }).click();
    await expect(tab.getByText("Please enter your password to open the server connection.")).toBeVisible();
    await tab.getByRole("button", { name: "Enter Password" }).click();
    await enterPassword(tab);
    await expect(tab).toHaveURL(/\/tools\/canva\?server=canva-server-1$/);

    // Its codes are not shown either.
    await makePasswordEntriesOld();
    await new ShopPage(tab).waitForHydration();
    const server = tab.getByRole("list", { name: "Servers" }).getByRole("listitem").first();
    await server.getByRole("button", { name: "Show code" }).click();
    await expect(passwordDialogOf(tab).getByLabel("Password", { exact: true })).toBeFocused();
    await expectAccessible(tab, "tool page asks for the password", DIALOG);
    await passwordDialogOf(tab).getByRole("button", { name: "Cancel" }).click();
    await expect(server.getByRole("textbox")).toHaveCount(0);
    await server.getByRole("button", { name: "Show code" }).click();
    await enterPassword(tab);
    await expect(server.getByRole("textbox")).toHaveValue(CODE);
  });
});
