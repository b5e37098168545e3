import { readFileSync, writeFileSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { enterPassword, expectBanner, onWidePage, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { setStock } from "./payment-records.ts";
import { makePasswordEntriesOld, query, readStock } from "./shop-database.ts";
import { buyPass, postForm, signInAsNewUser } from "./test-users.ts";

// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const DIALOG = "[role=dialog]";

/** By its tag: behind a dialog it has no role. */
const rowOf = (page: Page, tool: string) =>
  page.locator('table[aria-label="Tools"] tr').filter({ has: page.getByText(tool, { exact: true }) });

const dialogOf = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });

const button = (part: Page | Locator, name: string) => part.getByRole("button", { name, exact: true });

test("the admin adds pricing options, edits everything a tool's page needs, and deletes the tool, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAsAdmin(shop, "/admin/tools");
  const name = "Video Suite 390";
  await button(page, "+ Add Tool").click();
  const adding = dialogOf(page, "Add Tool");
  const option = (label: string) => adding.getByLabel(label, { exact: true });

  await test.step("a name of 10,000 letters is refused with the limit, and nothing is cut", async () => {
    // The first field has the focus, so a name can be typed at once.
    await expect(option("Tool Name")).toBeFocused();
    await page.keyboard.type("Quiet");
    await expect(option("Tool Name")).toHaveValue("Quiet");
    await option("Tool Name").fill("हिंदी टूल");
    await expect(adding.getByText(/^Its address will be like \/tools\/tool-2, and stays/)).toBeVisible();
    await option("Tool Name").fill("Canva Pro");
    await expect(adding.getByText("Its address will be like /tools/canva-pro, and stays.")).toBeVisible();
    await option("Tool Name").fill("a".repeat(10_000));
    await expect(option("Tool Name")).toHaveValue("a".repeat(10_000));
    await option("Description").fill("Long.");
    await button(adding, "Add Tool").click();
    await expect(adding.getByText("At most 80 characters.")).toBeVisible();
  });

  const typed = { "Tool Name": name, Description: "Cuts and colours.", Stock: "3", Price: "77" };
  for (const [label, text] of Object.entries({ ...typed, "Validity (Days)": "15" }))
    await option(label).fill(text);
  const price = (at: number) => adding.getByRole("group", { name: `Price ${at}` });
  const priceField = (at: number, label: string) => price(at).getByLabel(label, { exact: true });
  const prices = adding.getByRole("group", { name: /^Price \d+$/ });
  await test.step("an added price has 30 days and is refused at the price 0, and where its days are those of another one", async () => {
    await button(adding, "Add Pricing Option").click();
    await expect(priceField(2, "Validity (Days)")).toBeFocused();
    await expect(priceField(2, "Validity (Days)")).toHaveValue("30");
    await priceField(2, "Price").fill("0");
    await button(adding, "Add Tool").click();
    await expect(price(2).getByText("The price must be at least 1 rupee.")).toBeInViewport();
    await expect(priceField(2, "Price")).toBeFocused();
    await priceField(2, "Price").fill("149");
    await priceField(2, "Validity (Days)").fill("15");
    await button(adding, "Add Tool").click();
    await expect(price(2).getByText("Another price has the same number of days.")).toBeInViewport();
    // Days that are left empty are 30.
    await priceField(2, "Validity (Days)").fill("");
    await priceField(2, "Original Price").fill("499");
    await expect(priceField(2, "Validity (Days)")).toHaveValue("30");
    await priceField(1, "Price").fill("0");
    await button(adding, "Add Tool").click();
    await expect(price(1).getByText(/^Only a single price can be 0/)).toBeInViewport();
  });
  await test.step("the first price can be removed as well, and the next one takes its place", async () => {
    await button(adding, "Remove price 1").click();
    await expect(prices).toHaveCount(1);
    await expect(button(adding, "Add Pricing Option")).toBeFocused();
    await expect(option("Price")).toHaveValue("149");
    await expect(adding.getByRole("button", { name: /^Remove price/ })).toHaveCount(0);
  });
  for (const [at, days, amount] of [
    [2, "7", "49"],
    [3, "90", "399"],
    [4, "60", "249"],
  ] as const) {
    await button(adding, "Add Pricing Option").click();
    await priceField(at, "Validity (Days)").fill(days);
    await priceField(at, "Price").fill(amount);
  }
  await adding.getByText("More settings").click();
  await adding.getByLabel("Tool Website").fill("https://video.example/");

  const row = rowOf(page, name);
  await button(adding, "Add Tool").click();
  await expect(adding).toBeHidden();
  await onWidePage(page, () => expect(row.getByText("+2 more")).toBeVisible());
  await onWidePage(page, async () => {
    await expect(row.getByText("Multiple Options:")).toBeVisible();
    await expect(row.getByText(/^7 Days: ₹49$/)).toBeVisible();
    await expect(row.getByText(/^30 Days: ₹149.*₹499$/)).toBeVisible();
    await expect(row.getByText("Expires: Purchase Date + 7 days")).toBeVisible();
  });

  // A pass is sold while the form is open: the stock that was typed is the change of what was shown.
  await pressRowAction(row, "Edit");
  const editing = dialogOf(page, "Edit Tool");
  const buyer = await openOtherBrowser();
  await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "video-suite-390", "7 Days");
  await expect(row.getByText("2 in stock")).toHaveCount(1);
  await expect(editing.getByLabel("Stock")).toHaveValue("3");
  await editing.getByLabel("Stock").fill("13");
  await editing.getByText("More settings").click();
  await editing.getByLabel("Category").selectOption("Another…");
  await editing.getByLabel("New category").fill("video");
  await editing.getByLabel("Badge").fill("New");
  await editing.getByLabel("Name of server 1").fill("Mumbai");
  await button(editing, "Add Server").click();
  await editing.getByLabel("Name of server 2").fill("Delhi");
  await editing.getByLabel("Address of server 2").fill("javascript:alert(1)");
  await editing.getByLabel("Tool Website").fill("https://video.example/start");
  await editing.getByLabel("Credential Service").selectOption("QuillBot");
  await editing.getByLabel("Other names of this tool").fill("Video Gold");
  await button(editing, "Add Name").click();
  await editing.getByLabel("Other tools that open the page").selectOption("Canva");
  await editing.getByLabel("Tool Name").fill("");
  await button(editing, "Update Tool").click();
  await expect(editing.getByText("Enter an address that starts with https:// or http://.")).toBeVisible();
  await expect(editing.getByText("Enter the tool’s name.")).toBeVisible();
  await test.step("the form of a tool is accessible, also with mistakes", async () => {
    await expectAccessible(page, "tool form", DIALOG);
    await editing.getByRole("combobox", { name: "Other tools that open the page" }).scrollIntoViewIfNeeded();
    await takeScreenshot(page, "tool form end");
  });
  await editing.getByLabel("Tool Name").fill(name);
  await editing.getByLabel("Address of server 2").fill("https://delhi.example");
  await expectBanner(page, "Tool updated.", () => button(editing, "Update Tool").click());
  await expect(row.getByText("12 in stock")).toBeVisible();
  expect(await readStock("video-suite-390")).toBe(12);
  await pressRowAction(row, "Edit");
  await expect(
    editing.getByRole("group", { name: "Price 1" }).getByLabel("Price", { exact: true }),
  ).toHaveValue("49");
  await expect(editing.getByLabel("Category")).toHaveValue("video");
  await editing.getByText("More settings").click();
  await expect(editing.getByLabel("Address of server 2")).toHaveValue("https://delhi.example");
  await expect(editing.getByLabel("Tool Website")).toHaveValue("https://video.example/start");
  await expect(editing.getByLabel("Credential Service")).toHaveValue("QuillBot");
  await expect(button(editing, "Remove Video Gold")).toBeVisible();
  await expect(button(editing, "Remove Canva")).toBeVisible();
  await button(editing, "Cancel").click();

  await makePasswordEntriesOld();
  await pressRowAction(row, "Delete");
  const deleting = dialogOf(page, `Delete ${name}?`);
  await expect(deleting.getByText(/passes that are still running keep the tool’s page/)).toBeVisible();
  await expectAccessible(page, "tool delete", DIALOG);
  await button(deleting, "Delete Tool").click();
  await expectBanner(page, "Tool deleted.", () => enterPassword(page));
  await expect(row).toHaveCount(0);
  // The buyer's pass still opens the page, with the servers as they were edited.
  await buyer.page.goto("/tools/video-suite-390");
  await expect(buyer.server("Mumbai")).toBeVisible();
  await buyer.page.goto("/");
  await expect(buyer.cards).toHaveCount(12);
  await expect(buyer.card(name)).toHaveCount(0);
});

test("a mistake in Add Tool takes the focus wherever it is, and a new tool without servers leads to its first code, at 390 px", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAsAdmin(shop, "/admin/tools");
  await button(page, "+ Add Tool").click();
  const form = dialogOf(page, "Add Tool");
  const field = (label: string) => form.getByLabel(label, { exact: true });
  await field("Tool Name").fill("Sign-in 390");
  await button(form, "Add Tool").click();
  await expect(field("Description")).toBeFocused();
  await expect(form.getByText("Enter a description.")).toBeInViewport();
  await field("Description").fill("Only a shared sign-in.");
  await expectBanner(page, "Tool added.", () => button(form, "Add Tool").click());

  await page.getByRole("link", { name: "Add a code" }).click();
  const code = dialogOf(page, "Add Access Code");
  await expect(code.getByText("Sign-in 390")).toBeVisible();
  await expect(button(code, "Change")).toBeVisible();
  await expect(code.getByLabel("Server Name")).toHaveValue("Server 1");
  await expect(code.getByLabel("Session Code")).not.toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(code).toBeHidden();
  await expect(page).toHaveURL(/\/admin\/access-codes$/);
  await shop.reload();
  await expect(page).toHaveURL(/\/admin\/access-codes$/);
  await expect(code).toBeHidden();
  // Other journeys use the same shop.
  await query("update tools set deleted_at = now(), is_active = false where name = $1", ["Sign-in 390"]);
});

test("the admin downloads the catalogue, changes the file, looks at the changes and applies them, at 1280 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 1280, height: 844 });
  await openAsAdmin(shop, "/admin/tools");
  const stock = await readStock("quillbot");
  await button(page, "Download Catalogue").click();
  const downloading = dialogOf(page, "Download Catalogue");
  await expectAccessible(page, "catalogue download", DIALOG);
  const file = await saveDownload(page, () => button(downloading, "Download").click());
  expect(file.name).toMatch(/^catalogue-\d{4}-\d\d-\d\d\.json$/);
  expect(file.text).not.toContain("CANVA-9P3V-Z9D9");
  await expect(downloading).toBeHidden();

  await makePasswordEntriesOld();
  await button(page, "Download Catalogue").click();
  await downloading.getByLabel("With access codes and passwords").check();
  await button(downloading, "Download").click();
  const secret = await saveDownload(page, () => enterPassword(page));
  expect(secret.text).toContain("CANVA-9P3V-Z9D9");

  await button(page, "Upload Catalogue").click();
  const uploading = dialogOf(page, "Upload Catalogue");
  const choose = (text: string) => chooseFile(uploading, text);
  await choose(" ".repeat(25 * 1024 * 1024 + 1));
  await expect(uploading.getByText("The file must not be larger than 25 MB.")).toBeVisible();
  // Each line end would be two bytes in JSON.
  await choose(`${file.text}${"\n".repeat(25 * 1024 * 1024 - Buffer.byteLength(file.text))}`);
  await expect(uploading.getByText("This file changes nothing in your shop.")).toBeVisible();
  await choose(file.text.replace(`"availableStock": ${stock}`, '"availableStock": -1'));
  await expect(uploading.getByText(/^line \d+, tools\[\d+\] "quillbot": availableStock/)).toBeVisible();
  await choose(file.text.replaceAll('"availableStock": ', '"availableStock": -'));
  await expect(uploading.getByText(/^The file has \d+ mistakes\./)).toBeVisible();
  await expectAccessible(page, "catalogue mistakes", DIALOG);
  await choose(file.text);
  await expect(uploading.getByText("This file changes nothing in your shop.")).toBeVisible();
  await expect(button(uploading, "Apply These Changes")).toHaveCount(0);
  await choose(file.text.replaceAll('"category": "', '"category": "new ').replace("7 Days", "A week"));
  await expect(uploading.getByRole("region", { name: "What would change" })).toBeVisible();
  await expectAccessible(page, "catalogue changes", DIALOG);

  interface Tool {
    slug: string;
    name: string;
    servers: unknown[];
    features: string[];
    badge?: string;
  }
  const changed: { tools: Tool[] } = JSON.parse(file.text);
  const quillbot = changed.tools.find(({ slug }) => slug === "quillbot");
  if (quillbot === undefined) throw new Error("the demo has QuillBot");
  const { features, badge } = quillbot;
  const slug = "copy-1280";
  changed.tools.push({
    ...quillbot,
    slug,
    name: "Copy 1280",
    servers: [{ id: `${slug}-1`, name: "One" }],
  });
  Object.assign(quillbot, { availableStock: stock + 10, features: ["Rewrites", "Summaries 1280"] });
  await choose(JSON.stringify(changed, null, 2));
  await expect(uploading.getByText(/^1 added, 1 changed, \d+ unchanged\.$/)).toBeVisible();
  const changes = uploading.getByRole("region", { name: "What would change" });
  await expect(changes.getByText("copy-1280")).toBeVisible();
  const stockChanges = uploading.getByRole("list", { name: "Changes of stock" }).getByRole("listitem");
  await expect(stockChanges).toHaveText([`QuillBot ${stock} → ${stock + 10}`]);
  await expect(uploading.getByLabel("Change the stock as in the file")).toBeChecked();
  await expect(changes.getByText("Summaries 1280")).toBeVisible();
  expect(await readStock("quillbot")).toBe(stock);

  // The shop changes meanwhile, so the changes are shown again before they are made.
  await query("update tools set badge = $1 where slug = 'quillbot'", ["Fresh 1280"]);
  await makePasswordEntriesOld();
  await button(uploading, "Apply These Changes").click();
  await enterPassword(page);
  await expect(uploading.getByText(/^The shop has changed since you looked\./)).toBeVisible();
  await expect(changes.getByText("Fresh 1280")).toBeVisible();
  await expectBanner(page, "Catalogue uploaded: 1 added, 1 changed.", () =>
    button(uploading, "Apply These Changes").click(),
  );
  await expect(uploading).toBeHidden();
  await expect(rowOf(page, "Copy 1280")).toBeVisible();
  expect(await readStock("quillbot")).toBe(stock + 10);

  // After a sale the stock of the older file is not taken by itself.
  const buyer = await openOtherBrowser();
  await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await button(page, "Upload Catalogue").click();
  await choose(file.text);
  await expect(uploading.getByLabel("Leave the stock as it is")).toBeChecked();
  await expect(uploading.getByText(/^Passes were sold after this file was downloaded/)).toBeVisible();
  await uploading.getByRole("button", { name: "Close" }).click();
  // Other journeys use the same shop.
  await query("update tools set deleted_at = now(), is_active = false where slug = $1", [slug]);
  await query("update tools set features = $1, badge = $2 where slug = 'quillbot'", [
    JSON.stringify(features),
    badge ?? null,
  ]);
});

test("the list of tools is searched and sorted by its address, and what another admin changes is not saved over", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin/tools?sort=price&direction=asc");
  const table = page.getByRole("table", { name: "Tools", exact: true });

  await test.step("the list is searched and sorted by its address", async () => {
    await expect(table.getByRole("columnheader", { name: "Price" })).toHaveAttribute(
      "aria-sort",
      "ascending",
    );
    expect(await table.getByRole("row").nth(1).innerText()).toContain("₹0");
    await expectAccessible(page, "tools");
    await page.getByPlaceholder("Search tools by name").fill("canv");
    await expect(page).toHaveURL(/q=canv/);
    await expect(table.getByRole("row")).toHaveCount(2);
    await page.getByPlaceholder("Search tools by name").fill("no such tool");
    await expect(shop.heading("No tools found")).toBeVisible();
    await expectAccessible(page, "tools none", "main");
    await page.getByPlaceholder("Search tools by name").fill("Udemy");
  });

  await test.step("what one admin types stays when another one changes the tool, and is not saved over it", async () => {
    await pressRowAction(rowOf(page, "Udemy"), "Edit");
    const dialog = dialogOf(page, "Edit Tool");
    await dialog.getByLabel("Description").fill("My own words.");
    // Another admin with the same form.
    const other = await page.context().newPage();
    await other.goto("/admin/tools?q=Udemy");
    await pressRowAction(rowOf(other, "Udemy"), "Edit");
    await dialogOf(other, "Edit Tool").getByLabel("Stock").fill("77");
    await button(dialogOf(other, "Edit Tool"), "Update Tool").click();
    await expect(dialogOf(other, "Edit Tool")).toBeHidden();
    await other.close();
    await expect(dialog.getByText(/^Someone else has changed this in the meantime/)).toBeVisible();
    await expect(dialog.getByLabel("Description")).toHaveValue("My own words.");
    await expect(button(dialog, "Update Tool")).toHaveCount(0);
    // The server refuses what the form would send.
    const typed = await dialog
      .locator("form")
      .evaluate((form: HTMLFormElement) =>
        [...new FormData(form)].map(([name, value]) => [name, String(value)]),
      );
    const refused = await postForm(page, "/admin/tools.data", {
      ...Object.fromEntries(typed),
      intent: "update",
    });
    expect(await refused.text()).toContain("so nothing was saved");
    expect(await readStock("udemy")).toBe(77);
    // A click outside does not close a form.
    await page.mouse.click(5, 5);
    await expect(dialog).toBeVisible();
    await button(dialog, "Discard Mine and Show Theirs").click();
    await expect(dialog.getByLabel("Stock")).toHaveValue("77");
    await dialog.getByLabel("Stock").fill("78");
    await button(dialog, "Update Tool").click();
    await expect(dialog).toBeHidden();
    expect(await readStock("udemy")).toBe(78);
    // In the demo, which other journeys read, it is out of stock.
    await setStock("udemy", 0);
  });
});

async function saveDownload(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

async function chooseFile(dialog: Locator, text: string): Promise<void> {
  // The browser reads a file by itself. Handing it 25 MB takes longer than a test may.
  const path = test.info().outputPath("my-catalogue.json");
  writeFileSync(path, text);
  await dialog.getByLabel(/^Choose a(?:nother)? file$/).setInputFiles(path);
}
