import { randomUUID } from "node:crypto";
import { expect } from "@playwright/test";
import { wholeBrowser } from "../../playwright.config.ts";
import { expectAccessible } from "./accessibility.ts";
import { expectBanner, findRowAction, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test as base } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { buyPass, postForm, signInAsNewUser } from "./test-users.ts";

/** An email is shown in a sandboxed frame. A launch option of the worker would start another shop for this file. */
const test = base.extend({
  context: async ({ playwright, baseURL }, provide) => {
    const browser = await playwright.chromium.launch(wholeBrowser());
    await provide(await browser.newContext({ ...(baseURL && { baseURL }) }));
    await browser.close();
  },
});

const HOSTILE = `<p>Your refund has started.</p><script>parent.document.title = "taken over"</script>
  <img src="https://tracker.example/pixel.png" alt="">`;

/** A mail that the mail server has refused for a day. */
async function addFailedMail(email: string): Promise<void> {
  await query(
    `insert into mail_messages (id, recipient, kind, subject, html, text, status, tries, last_error)
     values ($1, $2, 'payment-refunded', 'Refund started', $3, 'Your refund has started.', 'failed', 7, '452 mailbox full')`,
    [randomUUID(), email, HOSTILE],
  );
}

test("the admin finds, reads and sends mail again, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
  browserErrors,
}) => {
  const buyer = (await openOtherBrowser()).page;
  const { email } = await signInAsNewUser(buyer);
  await buyPass(buyer, "canva", "7 Days");
  await addFailedMail(email);
  expect((await postForm(buyer, "/auth/reset.data", { email })).ok()).toBe(true);
  const outside: string[] = [];
  // A request that the policy blocks may be announced, and never ends.
  page.on("requestfinished", (request) => {
    if (request.url().includes("tracker.example")) outside.push(request.url());
  });

  await page.setViewportSize({ width: 390, height: 844 });
  await openAsAdmin(shop, "/admin/mail");
  await expect(shop.heading("Emails")).toBeVisible();
  await expect(page.getByRole("link", { name: "Emails", exact: true })).toHaveAttribute(
    "href",
    "/admin/mail",
  );
  await expect(page.getByText("No mail server is set up, so emails are only stored here.")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search by recipient" }).fill(email);
  await expect(page).toHaveURL(/q=/);
  const rows = page.getByRole("table", { name: "Emails" }).getByRole("row").filter({ hasText: email });
  await expect(rows).toHaveCount(3);
  const dialog = page.getByRole("dialog");
  const mail = dialog.frameLocator("iframe");

  await pressRowAction(rows.filter({ hasText: "receipt for Canva" }), "View");
  await expect(mail.getByRole("heading", { name: "Your pass is ready" })).toBeVisible();
  await expect(mail.getByText("Test purchase.")).toBeVisible();
  await dialog.getByText("Plain text").click();
  await expect(dialog.getByText("Amount paid: ₹")).toBeVisible();
  await expectAccessible(page, "admin mail dialog", "[role=dialog]");
  await dialog.getByRole("button", { name: "Close" }).click();

  await pressRowAction(rows.filter({ hasText: "Set a new password" }), "View");
  await expect(dialog.getByText("This email contains a link that only its recipient may see.")).toBeVisible();
  await expect(dialog.locator("iframe")).toHaveCount(0);
  await dialog.getByRole("button", { name: "Close" }).click();

  const failed = rows.filter({ hasText: "Refund started" });
  await expect(failed).toContainText("452 mailbox full");
  await expect(failed).toContainText("7 tries");
  await pressRowAction(failed, "View");
  await expect(mail.getByText("Your refund has started.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(page).toHaveTitle(/^Emails · /);
  expect(outside).toEqual([]);
  // The browser says what it has blocked: the script, scripts that the test itself adds to frames, and the image.
  const blocked = browserErrors.splice(0);
  const isBlocked = (text: string) =>
    /Blocked script execution in 'about:srcdoc'|default-src 'none'/.test(text);
  expect(blocked.filter((text) => !isBlocked(text))).toEqual([]);
  expect(blocked.join()).toMatch(/Blocked script execution in 'about:srcdoc'.*default-src 'none'/s);
  await expectBanner(page, "The email is back in the queue.", () => pressRowAction(failed, "Send Again"));
  await expect(failed).toContainText("Queued");
  await expect(await findRowAction(failed, "View")).toBeVisible();
  await expect(page.getByRole("menuitem")).toHaveText(["View"]);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Filters and order" }).click();
  await page.getByLabel("Status").selectOption("Failed");
  await expect(page.getByRole("heading", { name: "No emails found" })).toBeVisible();
  await page.getByRole("button", { name: "Giveaway won" }).click();
  await expect(mail.getByRole("heading", { name: "You won a pass for Example Tool" })).toBeVisible();
  await dialog.getByRole("button", { name: "Hindi" }).click();
  await expect(mail.getByRole("heading", { level: 1, name: /\p{Script=Devanagari}/u })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Hindi" })).toBeFocused();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByLabel("Status").selectOption("All Status");
  await expect(rows).toHaveCount(3);
  await expectAccessible(page, "admin mail");
  expect(browserErrors.splice(0).filter((text) => !isBlocked(text))).toEqual([]);
});
