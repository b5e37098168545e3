import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import {
  enterPassword,
  expectBanner,
  findRowAction,
  onWidePage,
  openAsAdmin,
  openRowDialog,
  purchaseRow,
} from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { listPurchases, makePasswordEntriesOld, readExpiry, readGatewayIds } from "./shop-database.ts";
import { buyPass, post, signInAsNewUser } from "./test-users.ts";

test.use({ viewport: { width: 390, height: 844 } });
// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const SEARCH = "Search by email, tool, ID, phone, UTR, UPI or amount";
const DIALOG = "[role=dialog]";
const DAY_MS = 86_400_000;

const search = (page: Page, text: string) => page.getByRole("searchbox", { name: SEARCH }).fill(text);

async function close(dialog: Locator): Promise<void> {
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
}

/** The tab counts the rows of the list without filters. */
async function expectCountOfListedRows(page: Page): Promise<void> {
  const pages = page.getByRole("navigation", { name: "Pages" });
  const tab = page.getByRole("tab", { name: /^User Purchases/ });
  await expect(async () => {
    const listed = /of ([\d,]+)/.exec(await pages.innerText())?.[1];
    expect(await tab.innerText()).toContain(`(${listed})`);
  }).toPass();
}

test("an admin finds purchases, extends a pass and reads its timeline, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await post(buyer.page, "/checkout/start", { slug: "quillbot", option: "7 Days" });
  await openAsAdmin(shop, "/admin/purchases");
  const bought = purchaseRow(page, email, "Canva");
  const pending = purchaseRow(page, email, "QuillBot");
  await expect(bought).toBeVisible();
  await expectAccessible(page, "purchases");

  await test.step("an admin finds purchases by user, tool, id and status", async () => {
    await search(page, email);
    await expect(bought.getByText("Completed", { exact: true })).toBeVisible();
    await expect(pending.getByText("Pending", { exact: true })).toBeVisible();
    await expect(await findRowAction(pending, "Extend")).toBeDisabled();
    await page.keyboard.press("Escape");
    await onWidePage(page, async () => {
      await expect(bought.getByText("Test", { exact: true })).toBeVisible();
      await expect(bought.getByText(/^[0-9a-f-]{36}$/)).toBeVisible();
      await expect(pending.getByText("N/A", { exact: true })).toBeVisible();
      await expect(pending.getByRole("button", { name: "Extend" })).toBeDisabled();
    });

    const status = page.getByLabel("Status", { exact: true });
    await expect(status).toBeHidden();
    await page.getByRole("button", { name: "Filters and order" }).click();
    await status.selectOption("Completed");
    await expect(pending).toHaveCount(0);
    await expect(bought).toBeVisible();
    await status.selectOption("Pending");
    await expect(bought).toHaveCount(0);
    await status.selectOption("Failed");
    await expect(shop.heading("No purchases found")).toBeVisible();
    await expectAccessible(page, "purchases empty", "main");
    await status.selectOption("All Status");
    await expect(bought).toBeVisible();

    const drawer = await openRowDialog(page, bought, "View", "Canva");
    await expectAccessible(page, "purchases View", DIALOG);
    const readFact = (name: string) =>
      drawer.getByText(name).locator("xpath=following-sibling::dd").innerText();
    const id = await readFact("Purchase ID");
    const orderNumber = await readFact("Order number");
    await close(drawer);
    await expect(bought.getByText(orderNumber)).toBeVisible();
    await search(page, id);
    await expect(pending).toHaveCount(0);
    await expect(bought).toBeVisible();
    const spaced = `${orderNumber.slice(0, 4)} ${orderNumber.slice(4)}`.toLowerCase();
    for (const name of [spaced, ...(await readGatewayIds(id))]) {
      await search(page, "no-such-purchase");
      await expect(shop.heading("No purchases found")).toBeVisible();
      await search(page, name);
      await expect(bought).toBeVisible();
    }
  });

  const before = await readExpiry(email);
  const dialog = page.getByRole("dialog", { name: "Extend Canva" });
  await test.step("an admin extends a pass by days; an error goes away when the value changes", async () => {
    await openRowDialog(page, bought, "Extend", "Extend Canva");
    const days = dialog.getByLabel("Days", { exact: true });
    await days.fill("0");
    await dialog.getByRole("button", { name: "Extend", exact: true }).click();
    const refused = dialog.getByText("Please enter a whole number of days, 1 to 3650.");
    await expect(refused).toBeVisible();
    await expectAccessible(page, "purchases Extend", DIALOG);
    await days.fill("30");
    await expect(refused).toHaveCount(0);
    await expectBanner(page, "Expiry date updated.", () =>
      dialog.getByRole("button", { name: "Extend", exact: true }).dblclick(),
    );
    await expect(dialog).toHaveCount(0);
    expect((await readExpiry(email)).getTime() - before.getTime()).toBe(30 * DAY_MS);
  });

  await test.step("an admin extends a pass until a date; an error goes away when the value changes", async () => {
    await openRowDialog(page, bought, "Extend", "Extend Canva");
    await dialog.getByText("Until a date").click();
    const date = dialog.getByLabel("New expiry date");
    const set = () => dialog.getByRole("button", { name: "Set Date" }).click();
    await date.fill("30-02-2099");
    await set();
    await expect(dialog.getByText("Please enter a valid date.", { exact: true })).toBeVisible();
    await date.fill("soon");
    await expect(
      dialog.getByText("Please enter a valid date in DD-MM-YYYY format.", { exact: true }),
    ).toBeVisible();
    // A refusal of the server.
    await date.fill("01-01-2020");
    await set();
    const refused = dialog.locator("[role=alert] p");
    await expect(refused).toHaveCount(1);
    await date.fill("31-12-2070");
    await expect(refused).toHaveCount(0);
    await set();
    await expect(dialog).toHaveCount(0);
    await onWidePage(page, () => expect(bought.getByText("31/12/70", { exact: true })).toBeVisible());
  });

  await test.step("an admin reads the timeline of a purchase", async () => {
    const drawer = await openRowDialog(page, bought, "View", "Canva");
    const timeline = drawer.getByRole("region", { name: "Timeline" });
    for (const told of [
      /^Checkout of Canva for ₹\d+ started$/,
      /^Payment of ₹\d+ received$/,
      /^Access started$/,
      /^Extended by an admin$/,
      /^Expiry date changed by an admin$/,
    ]) {
      await expect(timeline.getByText(told)).toBeVisible();
    }
  });
});

test("an admin cancels with a refund, and without one for a reason, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await buyPass(buyer.page, "quillbot", "7 Days");
  await openAsAdmin(shop, "/admin/purchases");
  await search(page, email);

  await makePasswordEntriesOld();
  const refunded = purchaseRow(page, email, "Canva");
  const dialog = await openRowDialog(page, refunded, "Cancel", "Cancel Canva?");
  await expect(dialog.getByText("The access ends at once and for good.")).toBeVisible();
  await dialog.getByRole("button", { name: /^Cancel Purchase and Refund ₹\d+$/ }).click();
  const started = /^Purchase cancelled\. The refund of ₹[\d.,]+ has started\.$/;
  await expectBanner(page, started, () => enterPassword(page));
  await expect(dialog).toHaveCount(0);
  await expect(refunded.getByText("Cancelled", { exact: true })).toBeVisible();

  const kept = purchaseRow(page, email, "QuillBot");
  const other = await openRowDialog(page, kept, "Cancel", "Cancel QuillBot?");
  await other.getByText("Do not refund").click();
  await other.getByRole("button", { name: "Cancel Purchase Without Refund" }).click();
  await expect(other.getByText("Please enter a reason.")).toBeVisible();
  await expectAccessible(page, "purchases Cancel", DIALOG);
  await other.getByRole("textbox", { name: "Reason" }).fill("Shared the code");
  await expectBanner(page, "Purchase cancelled.", () =>
    other.getByRole("button", { name: "Cancel Purchase Without Refund" }).click(),
  );
  await expect(kept.getByText("Cancelled", { exact: true })).toBeVisible();
  await search(page, "");
  await expectCountOfListedRows(page);
  await search(page, email);

  await page.getByRole("button", { name: "Filters and order" }).click();
  await page.getByLabel("Hide ended and expired").check();
  await expect(page).toHaveURL(/current=1/);
  await expect(shop.heading("No purchases found")).toBeVisible();
  await page.getByLabel("Hide ended and expired").uncheck();
  await expect(kept).toBeVisible();
  const drawer = await openRowDialog(page, kept, "View", "QuillBot");
  await expect(drawer.getByText("Reason: Shared the code")).toBeVisible();
  await close(drawer);
  await openRowDialog(page, refunded, "Cancel", "Cancel Canva?");
  await expect(
    dialog.getByText("This purchase has already ended, and there is nothing left to refund."),
  ).toBeVisible();
  expect((await listPurchases(email)).map(({ tool }) => tool)).toEqual(["Canva", "QuillBot"]);
  await buyer.open("/dashboard");
  await expect(buyer.pass("Canva")).toHaveCount(0);
  for (const slug of ["canva", "quillbot"]) {
    await buyer.open(`/tools/${slug}`);
    await expect(buyer.heading("Access Required")).toBeVisible();
    await expect(
      buyer.page.getByText(/^The shop ended your pass on \d\d\/\d\d\/\d\d: see your order\.$/),
    ).toBeVisible();
    await expectAccessible(buyer.page, "tool page of a cancelled pass");
    await buyer.page.getByRole("link", { name: "see your order" }).click();
    await expect(buyer.page).toHaveURL(/\/account\/orders\//);
  }
});

test("the owner lists the passes that end soon, copies their addresses and opens WhatsApp with a message, at 1280 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.setViewportSize({ width: 1280, height: 900 });
  await openAsAdmin(shop, "/admin/purchases");
  const pass = purchaseRow(page, email, "Canva");
  await expect(pass.getByRole("button", { name: /^WhatsApp/ })).toHaveCount(0);
  await page.getByLabel("Ends", { exact: true }).selectOption("Ends within 7 days");
  await expect(page).toHaveURL(/ends=7/);
  await page.getByRole("button", { name: /^Copy \d+ Address/ }).click();
  await expect(page.getByRole("button", { name: "Copied!" })).toBeVisible();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split(", ");
  expect(copied).toContain(email);
  expect(new Set(copied).size).toBe(copied.length);
  await search(page, email);
  let message = "";
  await page.context().route("https://wa.me/**", (route) => {
    message = new URL(route.request().url()).searchParams.get("text") ?? "";
    return route.fulfill({ body: "" });
  });
  await pass.getByRole("button", { name: /^WhatsApp/ }).click();
  await expect.poll(() => message).toMatch(/^Your pass for Canva at .* ends on .*\/dashboard$/);
  await page.getByLabel("Ends", { exact: true }).selectOption("Ends within 1 day");
  await expect(shop.heading("No purchases found")).toBeVisible();
});
