import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { enterPassword, openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { makePasswordEntriesOld, query } from "./shop-database.ts";

test.describe.configure({ timeout: 240_000 });

/** Buyers whose addresses begin with a word of their own, each with a pass of 30 days. @returns the word */
async function addBuyers(howMany: number): Promise<string> {
  const tag = `bulk${randomUUID().slice(0, 8)}`;
  await query(
    `with buyer as (
       insert into users (id, email) select gen_random_uuid(), $1::text || '-' || n || '@example.com'
         from generate_series(1, $2::int) n returning id, email)
     insert into user_purchases (id, user_id, user_email, tool_id, tool_name, amount, list_price_paise, validity, status, source,
       starts_at, captured_at, expires_at)
     select gen_random_uuid(), buyer.id, buyer.email, tools.id, tools.name, 0, 0, 30, 'completed', 'admin', now(), now(),
       now() + interval '30 days' from buyer, tools where tools.slug = 'canva'`,
    [tag, howMany],
  );
  return tag;
}

const daysSchema = z.array(z.object({ days: z.number(), passes: z.number() }));

/** How many days the passes of the buyers have, and how many passes have so many. */
async function passesByDays(tag: string): Promise<[number, number][]> {
  const rows = await query(
    `select extract(day from expires_at - starts_at)::int as days, count(*)::int as passes from user_purchases
     where user_email like $1 || '%' and ended_at is null group by 1 order by 1`,
    [tag],
  );
  return daysSchema.parse(rows).map(({ days, passes }) => [days, passes]);
}

const bar = (page: Page) => page.getByRole("region", { name: "Selected rows" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Bulk action" });
const rows = (page: Page, table: string) => page.getByRole("table", { name: table }).getByRole("row");

test("an admin ticks passes and extends them; the dialog stays after a reload, and Back closes it, at 1280 px", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const tag = await addBuyers(3);
  await openAsAdmin(shop, `/admin/purchases?q=${tag}`);
  await expect(bar(page)).toBeHidden();

  await test.step("the bar counts the ticks; the tick of the page is all of them", async () => {
    await rows(page, "User purchases").nth(1).getByRole("checkbox", { name: "Select" }).check();
    await expect(bar(page).getByText("1 selected")).toBeVisible();
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
    await expect(bar(page).getByText("3 selected")).toBeVisible();
    await expectAccessible(page, "admin purchases with ticks");
    await bar(page).getByRole("button", { name: "Clear the selection" }).click();
    await expect(bar(page)).toBeHidden();
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  });

  await test.step("the dialog names the rows, stays after a reload, and refuses a wrong number of days", async () => {
    await bar(page).getByRole("button", { name: "Extend" }).click();
    await expect(dialog(page).getByText("Extend 3 purchases?")).toBeVisible();
    await expect(dialog(page).getByText(`${tag}-1@example.com`)).toBeVisible();
    await page.reload();
    await expect(dialog(page).getByText("Extend 3 purchases?")).toBeVisible();
    await expectAccessible(page, "admin bulk action", "[role=dialog]");
    await dialog(page).getByLabel("Days", { exact: true }).fill("0");
    await dialog(page).getByRole("button", { name: "Extend 3 Purchases" }).click();
    await expect(dialog(page).getByText("Please enter a whole number of days, 1 to 3650.")).toBeVisible();
    await dialog(page).getByLabel("Days", { exact: true }).fill("5");
  });

  await test.step("it asks for the password, does the rows, and shows the result, also after a reload", async () => {
    await makePasswordEntriesOld();
    await dialog(page).getByRole("button", { name: "Extend 3 Purchases" }).click();
    await enterPassword(page);
    await expect(dialog(page).getByText("3 done.")).toBeVisible();
    expect(await passesByDays(tag)).toEqual([[35, 3]]);
    await page.reload();
    await expect(dialog(page).getByText("3 done.")).toBeVisible();
  });

  await test.step("Back closes the dialog and leaves the list", async () => {
    await page.goBack();
    await expect(dialog(page)).toBeHidden();
    await expect(rows(page, "User purchases")).toHaveCount(4);
    expect(new URL(page.url()).searchParams.get("q")).toBe(tag);
  });
});

test("all users that a search finds are deactivated by the job, staff are left out, and the audit log leads to the result", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const tag = await addBuyers(60);
  await query(`update users set role = 'admin' where email = $1`, [`${tag}-7@example.com`]);
  await openAsAdmin(shop, `/admin?q=${tag}`);
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  await expect(bar(page).getByText("50 selected")).toBeVisible();
  const all = bar(page).getByRole("button", { name: "Select all 60 that match" });
  await all.click();
  await expect(bar(page).getByText("All 60 that match", { exact: true })).toBeVisible();
  await expect(all).toBeFocused();
  await expect(all).toHaveAttribute("aria-pressed", "true");
  const tick = page.getByRole("checkbox", { name: `Select ${tag}-` }).first();
  await tick.uncheck();
  await expect(bar(page).getByText("49 selected")).toBeVisible();
  await tick.check();
  await expect(bar(page).getByText("50 selected")).toBeVisible();
  await all.click();
  await page.getByRole("link", { name: "Next", exact: true }).click();
  await expect(rows(page, "Users")).toHaveCount(11);
  await page.goBack();
  await expect(rows(page, "Users")).toHaveCount(51);
  await expect(bar(page)).toBeHidden();
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  await all.click();
  await bar(page).getByRole("button", { name: "Deactivate" }).click();
  await dialog(page).getByRole("button", { name: "Deactivate 60 Users" }).click();
  // Live updates bring it here.
  await expect(dialog(page).getByText("59 done, 1 not done.")).toBeVisible({ timeout: 60_000 });
  await expect(dialog(page).getByText("The account of an admin")).toBeVisible();
  await expectAccessible(page, "admin bulk action result", "[role=dialog]");
  await dialog(page).getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(dialog(page)).toBeHidden();
  await expect(bar(page)).toBeHidden();
  const active = await query("select email from users where email like $1 || '%' and is_active", [tag]);
  expect(active).toEqual([{ email: `${tag}-7@example.com` }]);

  await shop.open("/admin/audit");
  const event = rows(page, "Audit log").filter({ hasText: "Started to deactivate 60 users" });
  await event.locator("summary").click();
  await event.getByRole("button", { name: "Show the bulk action" }).click();
  await expect(dialog(page).getByText("59 done, 1 not done.")).toBeVisible();
  await query(`update users set role = 'user' where email = $1`, [`${tag}-7@example.com`]);
});

test("on a phone, a button shows the ticks, a press on a row is its tick, and the reason is asked once", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const tag = await addBuyers(4);
  await openAsAdmin(shop, `/admin/purchases?q=${tag}`);
  const ticks = page.getByRole("checkbox", { name: /^Select Canva/ });
  await expect(ticks).toHaveCount(0);
  await page.getByRole("button", { name: "Select rows" }).click();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await expect(bar(page).getByText("4 selected")).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all on this page" }).uncheck();
  await rows(page, "User purchases")
    .nth(1)
    .getByText(/^Canva/)
    .first()
    .click();
  await rows(page, "User purchases").nth(2).getByRole("checkbox", { name: "Select" }).check();
  await expect(bar(page).getByText("2 selected")).toBeVisible();
  await expectAccessible(page, "admin purchases with ticks on a phone");
  await test.step("on its side, a press opens the row", async () => {
    await page.setViewportSize({ width: 844, height: 390 });
    await rows(page, "User purchases").nth(1).getByText("Canva").first().click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("dialog")).toBeHidden();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(bar(page).getByText("2 selected")).toBeVisible();
  });
  await bar(page).getByRole("button", { name: "Cancel Purchases" }).click();
  const submit = dialog(page).getByRole("button", { name: "Cancel 2 Purchases Without a Refund" });
  await submit.click();
  await expect(dialog(page).getByText("Please enter a reason.")).toBeVisible();
  await dialog(page).getByLabel("Reason").fill("The tool is gone");
  await submit.click();
  await expect(dialog(page).getByText("2 done.")).toBeVisible();
  expect(await passesByDays(tag)).toEqual([[30, 2]]);
  await page.goBack();
  await expect(dialog(page)).toBeHidden();
  await page.getByRole("button", { name: "Select rows" }).click();
  await expect(ticks).toHaveCount(0);
});

test("an admin stops a bulk action that runs; its rows that wait are not done", async ({ shop, page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const id = randomUUID();
  await query(
    `with running as (
       insert into bulk_actions (id, actor_id, action, input, row_count, started_at)
       select $1::uuid, id, 'extend-purchases', '{"days":1}', 10000, now() from users where role = 'admin' limit 1 returning id)
     insert into bulk_action_rows (bulk_action_id, position, row_id, state)
     select id, n, gen_random_uuid(), 'x' from running, generate_series(1, 10000) n`,
    [id],
  );
  await openAsAdmin(shop, `/admin/audit?dialog=bulk-action&row=${id}`);
  await expectAccessible(page, "admin bulk action that runs", "[role=dialog]");
  await dialog(page).getByRole("button", { name: "Stop" }).click();
  await expect(dialog(page).getByText("0 done, 10,000 not done.")).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Stop" })).toBeHidden();
  await expect(dialog(page).getByRole("button", { name: "Close", exact: true }).last()).toBeFocused();
  await shop.open("/admin/audit");
  await expect(rows(page, "Audit log").filter({ hasText: "Stopped a bulk action with" })).toHaveCount(1);
});
