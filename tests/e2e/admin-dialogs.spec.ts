import { expect, type Page } from "@playwright/test";
import { ADMIN_EMAIL, fillCredentials, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test.use({ viewport: { width: 390, height: 844 } });

const rowOf = (page: Page, tool: string) =>
  page
    .getByRole("table", { name: "Tools", exact: true })
    .getByRole("row")
    .filter({ has: page.getByText(tool, { exact: true }) });

test("the dialogs of the admin on a phone go back, ask before they drop what is typed, and cover each other", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin");
  const toolsTab = page.getByRole("tab", { name: /^Tools Management/ });
  const form = page.getByRole("dialog", { name: "Edit Tool" });
  const question = page.getByRole("dialog", { name: "Discard your changes?" });

  await test.step("the back button of a phone closes a dialog of the admin, asks about changes first, and then leaves the tab", async () => {
    await toolsTab.click();
    await expect(page).toHaveURL(/\/admin\/tools$/);
    await pressRowAction(rowOf(page, "Udemy"), "Edit");
    await expect(form).toBeVisible();
    await page.goBack();
    await expect(form).toBeHidden();
    await expect(page).toHaveURL(/\/admin\/tools$/);

    await pressRowAction(rowOf(page, "Udemy"), "Edit");
    await form.getByLabel("Stock").fill("5");
    await page.goBack();
    await expect(question).toBeVisible();
    await page.goBack();
    await expect(question).toBeHidden();
    await expect(form.getByLabel("Stock")).toHaveValue("5");
    await page.goBack();
    await question.getByRole("button", { name: "Discard Changes" }).click();
    await expect(form).toBeHidden();
    await expect(page).toHaveURL(/\/admin\/tools$/);

    await page.goBack();
    await expect(page).toHaveURL(/\/admin$/);
    await expect(page.getByRole("table", { name: "Users" })).toBeVisible();
  });

  await test.step("a dialog over a dialog covers it with a scrim of its own", async () => {
    await toolsTab.click();
    await pressRowAction(rowOf(page, "Udemy"), "Edit");
    const field = form.getByLabel("Tool Name");
    await field.fill("Udemy for Teams");
    const box = await field.boundingBox();
    await page.keyboard.press("Escape");
    await expect(question).toBeVisible();
    const onTop = await page.evaluate(
      ({ x, y }) => document.elementFromPoint(x, y)?.closest("input, [role=dialog]") ?? null,
      { x: (box?.x ?? 0) + 10, y: (box?.y ?? 0) + 10 },
    );
    expect(onTop).toBeNull();
    await question.getByRole("button", { name: "Discard Changes" }).click();
    await expect(form).toBeHidden();
  });

  await test.step("the focus stays in the form when a price is removed, one is left, and nothing is stored without saving", async () => {
    const stored = () => query("select pricing_options from tools where slug = 'canva'", []);
    const before = await stored();
    await pressRowAction(rowOf(page, "Canva"), "Edit");
    await expect(form).toBeVisible();
    const prices = form.getByRole("group", { name: /^Price \d+$/ });
    const count = await prices.count();
    expect(count).toBeGreaterThan(1);
    for (let left = count; left > 1; left--) {
      await form.getByRole("button", { name: "Remove price 1" }).click();
      await expect(prices).toHaveCount(left - 1);
      await expect(form.getByRole("button", { name: "Add Pricing Option" })).toBeFocused();
    }
    await expect(form.getByRole("button", { name: /^Remove price/ })).toHaveCount(0);
    await form.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Discard Changes" }).click();
    await expect(form).toBeHidden();
    expect(await stored()).toEqual(before);
  });

  await test.step("on phones, which have no heads, a select sorts the list as the heads of the table do", async () => {
    const first = page.getByRole("table", { name: "Tools", exact: true }).getByRole("row").nth(1);
    await expect(page.getByLabel("Sort by")).toBeHidden();
    await page.getByRole("button", { name: "Filters and order" }).click();
    await page.getByLabel("Sort by").selectOption("Tool Name");
    await expect(page).toHaveURL(/sort=name&direction=asc/);
    await expect(first).toContainText("AI Humanizer");
    await page.getByRole("button", { name: "Sort in descending order" }).click();
    await expect(page).toHaveURL(/sort=name&direction=desc/);
    await expect(first).not.toContainText("AI Humanizer");
    await expect(page.getByRole("button", { name: "Sort in ascending order" })).toBeVisible();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(page.getByLabel("Sort by")).toBeHidden();
    await page.setViewportSize({ width: 390, height: 844 });
  });

  await test.step("Escape, Close and Cancel of a changed form ask before they drop it; an unchanged form closes at once", async () => {
    await page.getByRole("tab", { name: /^Coupon Codes/ }).click();
    await page.getByRole("button", { name: "+ Add Coupon Code" }).click();
    const coupon = page.getByRole("dialog", { name: "Add Coupon Code" });
    await coupon.getByLabel("Coupon Code").fill("HALF");
    for (const leave of [
      () => page.keyboard.press("Escape"),
      () => coupon.getByRole("button", { name: "Close" }).click(),
      () => coupon.getByRole("button", { name: "Cancel" }).click(),
    ]) {
      await leave();
      await question.getByRole("button", { name: "Keep Editing" }).click();
      await expect(question).toBeHidden();
      await expect(coupon.getByLabel("Coupon Code")).toHaveValue("HALF");
    }
    await coupon.getByLabel("Coupon Code").fill("");
    await page.keyboard.press("Escape");
    await expect(coupon).toBeHidden();
    await expect(question).toBeHidden();
  });
});

test("a press on a row opens its details, and one on a control, a menu or selected text does not", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await openAsAdmin(shop, "/admin");
  const dialog = page.getByRole("dialog");
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  for (const path of ["", "/tools", "/purchases", "/coupons", "/credentials", "/mail"])
    await test.step(`/admin${path}`, async () => {
      await shop.open(`/admin${path}`);
      await rows
        .first()
        .locator("td:visible:not(:has(input))")
        .first()
        .click({ position: { x: 5, y: 5 } });
      await expect(dialog).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(dialog).toBeHidden();
      await expect(rows.first().locator(":focus")).toHaveCount(1);
    });
  await test.step("the second click of a double click does not close what the first one opened", async () => {
    await shop.open("/admin/purchases");
    await rows
      .first()
      .locator("td:visible:not(:has(input))")
      .first()
      .dblclick({ position: { x: 5, y: 5 } });
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });
  await test.step("the back button closes the menu of a row, and then leaves the page", async () => {
    await shop.open("/admin/coupons");
    await shop.open("/admin/tools");
    await rows
      .first()
      .getByRole("button", { name: /^Actions: / })
      .click();
    await expect(page.getByRole("menu")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(page).toHaveURL(/\/admin\/tools$/);
    await page.goBack();
    await expect(page).toHaveURL(/\/admin\/coupons$/);
  });
  await test.step("a press beside the menu of a row closes the menu only", async () => {
    await shop.open("/admin/tools");
    await rows
      .first()
      .getByRole("button", { name: /^Actions: / })
      .click();
    await expect(page.getByRole("menu")).toBeVisible();
    const other = await rows.nth(2).boundingBox();
    await page.mouse.click((other?.x ?? 0) + 60, (other?.y ?? 0) + 10);
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(dialog).toBeHidden();
  });
  await test.step("a control of a row does what it says", async () => {
    await shop.open("/admin");
    await rows.getByRole("switch").first().click();
    await expect(page.getByRole("dialog", { name: /^Deactivate/ })).toBeVisible();
    await expect(dialog).toHaveCount(1);
    await page.keyboard.press("Escape");
  });
  await test.step("text of a row can be selected", async () => {
    await page.setViewportSize({ width: 1280, height: 844 });
    await shop.open("/admin/tools");
    const text = await rows.first().locator("p").first().boundingBox();
    const y = (text?.y ?? 0) + (text?.height ?? 0) / 2;
    await page.mouse.move((text?.x ?? 0) + 2, y);
    await page.mouse.down();
    await page.mouse.move((text?.x ?? 0) + 50, y, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate(() => String(window.getSelection()))).not.toBe("");
    await expect(dialog).toBeHidden();
    // Without a selection the same row opens.
    await page.mouse.click((text?.x ?? 0) + 400, y);
    await expect(dialog).toBeVisible();
  });
});

test("a long value at the end of a line leaves room for the start of the row on a phone", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin/access-codes");
  const row = page.getByRole("table", { name: "Access codes" }).getByRole("row").nth(1);
  await expect(row).toBeVisible();
  for (const place of ["first-end", "second-end"])
    await row.locator(`td[data-phone="${place}"]`).evaluate((cell) => {
      cell.innerHTML = `<span style="word-break: break-all">${"W".repeat(60)}</span>`;
    });
  const start = await row.locator('td[data-phone="first"]').boundingBox();
  expect(start?.width).toBeGreaterThan(100);
});

test("each dialog of the admin has an address, which a link and a reload open, and which the browser's buttons close and open", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin/coupons");
  await shop.open("/admin/tools?q=canva");
  const form = page.getByRole("dialog", { name: "Edit Tool" });
  const canva = rowOf(page, "Canva");
  let href = "";

  await test.step("a dialog opens without a request, and its address keeps the search of the list", async () => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await pressRowAction(canva, "Edit");
    await expect(form).toBeVisible();
    await expect(page).toHaveURL(/\/admin\/tools\?q=canva&dialog=edit&row=[0-9a-f-]{36}$/);
    expect(requests.filter((url) => url.includes("dialog="))).toEqual([]);
    page.removeAllListeners("request");
    href = page.url();
  });

  await test.step("Forward opens it again, and Close returns to the list without a further step in the history", async () => {
    await page.goBack();
    await expect(form).toBeHidden();
    await page.goForward();
    await expect(form).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(form).toBeHidden();
    await expect(page).toHaveURL(/\/admin\/tools\?q=canva$/);
    // A further dialog adds nothing to the history.
    await pressRowAction(canva, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.goBack();
    await expect(page).toHaveURL(/\/admin\/coupons$/);
    await page.goto(href);
    await expect(form).toBeVisible();
    await page.reload();
    await expect(form).toBeVisible();
  });

  await test.step("a link opens it for a row that the list does not show, and Close shows the list", async () => {
    const other = new URL(href);
    other.searchParams.set("q", "netflix");
    await page.goto(other.href);
    await expect(form.getByLabel("Tool Name")).toHaveValue("Canva");
    await page.keyboard.press("Escape");
    await expect(form).toBeHidden();
    await expect(page).toHaveURL(/\/admin\/tools\?q=netflix$/);
    await expect(canva).toBeHidden();
  });

  await test.step("an address of a row that does not exist says so and shows the list", async () => {
    await page.goto(href.replace(/row=.*/, "row=019a0000-1111-7222-8333-444455556666"));
    await expect(page.getByText("What this address was about does not exist any more.")).toBeVisible();
    await expect(page).toHaveURL(/\/admin\/tools\?q=canva$/);
    await expect(canva).toBeVisible();
  });

  await test.step("a reload asks before it drops what is typed", async () => {
    await page.goto(href);
    await form.getByRole("spinbutton", { name: "Stock" }).fill("5");
    const asked = page.waitForEvent("dialog");
    const reload = page.reload().catch(() => undefined);
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.accept();
    await reload;
    await expect(form).toBeVisible();
    await expect(form.getByRole("spinbutton", { name: "Stock" })).not.toHaveValue("5");
  });

  await test.step("a confirmation has an address too, and takes its row from it", async () => {
    await page.goto(href.replace("dialog=edit", "dialog=delete"));
    await expect(page.getByRole("dialog", { name: "Delete Canva?" })).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page).toHaveURL(/\/admin\/tools\?q=canva$/);
  });

  await test.step("somebody who is not signed in gets the sign-in form there, and then the dialog", async () => {
    await page.context().clearCookies();
    await page.goto(href);
    await fillCredentials(shop, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
    await page.getByRole("button", { name: "Sign In" }).click();
    await expect(form.getByLabel("Tool Name")).toHaveValue("Canva");
  });
});
