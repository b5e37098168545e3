import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { makePasswordEntriesOld, query } from "./shop-database.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";

// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const rowOf = (page: Page, text: string) =>
  page.getByRole("table", { name: "Access codes" }).getByRole("row").filter({ hasText: text });

test.describe("at 390 px", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("an admin adds, changes and deletes an access code", async ({ shop, page }) => {
    await signInAsAdmin(shop);
    await page.getByRole("tab", { name: /^Access Codes \(\d+\)$/ }).click();
    await page.getByRole("button", { name: "+ Add Access Code" }).click();
    const form = page.getByRole("dialog", { name: "Add Access Code" });
    const session = form.getByLabel("Session Code");
    await expect(session).toHaveAttribute("placeholder", "Select a tool first");
    await expect(session).not.toBeEditable();
    await expect(form.getByLabel("Active", { exact: true })).toBeChecked();
    await form.getByLabel("Simple Code").fill("TEA-390");
    await form.getByRole("button", { name: "Add Access Code" }).click();
    await expect(form.getByText("Please select a tool first.")).toBeVisible();
    await form.getByRole("button", { name: /^Udemy/ }).click();
    await expect(session).toHaveValue(/^Udemy-\d{13}-[0-9a-f]{32}$/);
    await expect(form.getByRole("button", { name: "Change" })).toBeFocused();
    await form.getByRole("button", { name: "Change" }).click();
    await expect(session).toHaveValue("");
    await expect(form.getByRole("list", { name: "Active tools" }).getByRole("button").first()).toBeFocused();
    await form.getByRole("button", { name: /^Canva/ }).click();
    await expect(session).toHaveValue(/^Canva-\d{13}-[0-9a-f]{32}$/);
    const sessionCode = await session.inputValue();
    // The server is one of the tool's.
    expect(await form.getByLabel("Server Name").getByRole("option").allInnerTexts()).toEqual([
      "Select a server",
      "Server 1",
    ]);
    await expect(form.getByLabel("Server Name")).toHaveValue("Server 1");
    await form.getByRole("button", { name: "Add Access Code" }).click();
    await expect(page.getByText("Access code added.")).toBeVisible();
    await expect(form).toBeHidden();
    const row = rowOf(page, "TEA-390");
    for (const text of ["Canva", "Server 1", "TEA-390", `${sessionCode.slice(0, 30)}…`, "Active"]) {
      await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    }

    await row.getByRole("button", { name: "Edit" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Access Code" });
    await expect(edit.getByLabel("Session Code")).toHaveValue(sessionCode);
    await edit.getByLabel("Session Code").fill("");
    await edit.getByRole("button", { name: "Update Access Code" }).click();
    await expect(edit.getByText("Enter the session code.")).toBeVisible();
    await edit.getByLabel("Session Code").fill("own-session-390");
    await edit.getByLabel("Tool Name").selectOption("Udemy");
    await edit.getByLabel("Server Name").selectOption("Server 1");
    await edit.getByLabel("Active", { exact: true }).uncheck();
    await edit.getByRole("button", { name: "Update Access Code" }).click();
    await expect(page.getByText("Access code updated.")).toBeVisible();
    for (const text of ["Udemy", "Server 1", "own-session-390", "Inactive"]) {
      await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
    }

    await row.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", {
      name: "Are you sure you want to delete this access code?",
    });
    await makePasswordEntriesOld();
    await question.getByRole("button", { name: "Delete Access Code" }).click();
    await expect(page.getByRole("dialog").getByLabel("Password")).toBeFocused();
    await page.keyboard.type(ADMIN_PASSWORD);
    await page.keyboard.press("Enter");
    await expect(page.getByText("Access code deleted.")).toBeVisible();
    await expect(row).toBeHidden();
  });

  test("an admin opens a server connection with the selected access code", async ({
    shop,
    page,
    context,
  }) => {
    await signInAsAdmin(shop);
    await shop.open("/admin/access-codes?q=Canva");
    const row = rowOf(page, "CANVA-9P3V-Z9D9");
    const panel = page.getByRole("region", { name: "Selected Access Code" });
    await expect(panel).toBeHidden();
    // With the keyboard, and by a click on the row.
    await row.getByRole("button", { name: "Canva", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(panel).toBeVisible();
    await panel.getByRole("button", { name: "Clear Selection" }).click();
    await expect(panel).toBeHidden();
    await row.getByText("CANVA-9P3V-Z9D9", { exact: true }).click();
    await expect(panel).toBeInViewport();
    await expect(row).toHaveAttribute("aria-selected", "true");
    const create = panel.getByRole("button", { name: "Create Server Connection" });
    await expect(create).toBeHidden();
    const tools = panel.getByRole("list", { name: "Active tools" });
    expect(await tools.evaluate((list) => getComputedStyle(list).maxHeight)).toBe("384px");
    const tool = tools.getByRole("button", { name: /^Canva/ });
    await expect(tool).toContainText(/₹\d+/);
    await expect(tool).toContainText(/\d+ available/);
    await tool.click();
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
    expect(connection?.searchParams.get("accessCode")).toBe("CANVA-9P3V-Z9D9");
    expect(connection?.searchParams.get("sessionCode")).toMatch(/^Canva-\d{13}-[0-9a-f]{32}$/);
    // Nothing else that the browser has sent has a code, in its address or as the page that it comes from.
    await tab.waitForLoadState("networkidle");
    expect(sent.filter((text) => /accessCode|sessionCode|CANVA-9P3V/.test(text))).toHaveLength(1);
    expect(await tab.evaluate(() => document.referrer)).not.toContain("Code=");
    await expect(panel).toBeHidden();
    await expect(row).toHaveAttribute("aria-selected", "false");
  });

  test("a server connection asks for a password that was entered long ago, and then opens", async ({
    shop,
    page,
    context,
  }) => {
    await signInAsAdmin(shop);
    await shop.open("/admin/access-codes?q=Canva");
    await rowOf(page, "CANVA-9P3V-Z9D9").getByText("CANVA-9P3V-Z9D9", { exact: true }).click();
    const panel = page.getByRole("region", { name: "Selected Access Code" });
    await panel.getByRole("button", { name: /^Canva/ }).click();
    await makePasswordEntriesOld();
    const create = panel.getByRole("button", { name: "Create Server Connection" });
    const [tab] = await Promise.all([context.waitForEvent("page"), create.click()]);
    const dialog = tab.getByRole("dialog", { name: "Enter your password" });
    await expect(dialog).toBeVisible();
    await expect(tab).toHaveURL(/\/admin\/access-codes$/);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(tab.getByText("Please enter your password to open the server connection.")).toBeVisible();
    await tab.getByRole("button", { name: "Enter Password" }).click();
    await dialog.getByLabel("Password", { exact: true }).fill(ADMIN_PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(tab).toHaveURL(/\/tools\/canva\?server=canva-server-1$/);
  });

  test("an admin adds several access codes from a pasted list", async ({ shop, page }) => {
    await signInAsAdmin(shop);
    await shop.open("/admin/access-codes");
    await page.getByRole("button", { name: "Add Several" }).click();
    const form = page.getByRole("dialog", { name: "Add several access codes" });
    await form.getByRole("button", { name: /^Udemy/ }).click();
    await form.getByLabel("Server Name").selectOption("Server 1");
    await expect(
      form.getByText("One code per line, at most 500 at once. Empty lines are skipped."),
    ).toBeVisible();
    const codes = [1, 2].map((number) => `LIST-390-${number}`);
    await form.getByLabel("Simple Codes").fill([codes[0], "CANVA-9P3V-Z9D9", codes[0]].join("\n"));
    await form.getByRole("button", { name: "Add Access Codes" }).click();
    await expect(form.getByText("Choose who gets these codes.")).toBeVisible();
    await form.getByLabel("One code for all").check();
    await form.getByRole("button", { name: "Add Access Codes" }).click();
    await expect(form.getByText("No code was added. Please correct these lines:")).toBeFocused();
    await expect(form.getByText("Line 2: This code is already in use.")).toBeVisible();
    await expect(form.getByText("Line 3: This code is already on line 1.")).toBeVisible();
    expect(await rowOf(page, codes[0] ?? "").count()).toBe(0);
    await form.getByLabel("Simple Codes").fill(`${codes.join("\n\n")}\n`);
    await form.getByRole("button", { name: "Add Access Codes" }).click();
    await expect(page.getByText("2 access codes added.")).toBeVisible();
    for (const code of codes) await expect(rowOf(page, code)).toContainText("Server 1");
    await query(
      `delete from access_codes where id in (
          select jsonb_array_elements_text(details -> 'ids')::uuid from audit_events where action = 'access-codes.added'
        )`,
      [],
    );
  });
});

test("without an active tool none can be picked, and an unknown search finds nothing", async ({
  shop,
  page,
}) => {
  await signInAsAdmin(shop);
  await query("update tools set is_active = false", []);
  try {
    await shop.open("/admin/access-codes");
    await rowOf(page, "CANVA-9P3V-Z9D9").getByText("CANVA-9P3V-Z9D9", { exact: true }).click();
    await expect(page.getByText("No active tools available")).toBeVisible();
  } finally {
    await query("update tools set is_active = true", []);
  }
  await shop.open("/admin/access-codes?q=no-such-code");
  await expect(shop.heading("No access codes found")).toBeVisible();
});

test("the tab of access codes and its dialogs are accessible in both schemes and widths", async ({
  shop,
  page,
}) => {
  await signInAsAdmin(shop);
  await shop.open("/admin/access-codes?q=Canva");
  await rowOf(page, "CANVA-9P3V-Z9D9").getByText("CANVA-9P3V-Z9D9", { exact: true }).click();
  const tools = page.getByRole("list", { name: "Active tools" });
  await tools.getByRole("button", { name: /^Canva/ }).click();
  await expectAccessible(page, "admin codes");
  await page.getByRole("button", { name: "+ Add Access Code" }).click();
  await expectAccessible(page, "admin codes pick");
  const form = page.getByRole("dialog");
  await form.getByRole("button", { name: /^Canva/ }).click();
  await expect(form.getByLabel("Session Code")).toHaveValue(/^Canva-/);
  await expectAccessible(page, "admin codes add");
  await form.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Add Several" }).click();
  await form.getByRole("button", { name: /^Canva/ }).click();
  await form.getByLabel("Server Name").selectOption("Server 1");
  await form.getByLabel("One code for all").check();
  await form.getByLabel("Simple Codes").fill("CANVA-9P3V-Z9D9\nA\nA");
  await form.getByRole("button", { name: "Add Access Codes" }).click();
  await expect(form.getByText("Line 1: This code is already in use.")).toBeVisible();
  await expectAccessible(page, "admin codes several");
  await form.getByRole("button", { name: "Cancel" }).click();
  await rowOf(page, "CANVA-9P3V-Z9D9").getByRole("button", { name: "Edit" }).click();
  await expect(page.getByRole("dialog", { name: "Edit Access Code" })).toBeVisible();
  await expectAccessible(page, "admin codes edit");
});
