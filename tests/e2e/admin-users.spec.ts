import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import {
  enterPassword,
  expectBanner,
  findRowAction,
  onWidePage,
  openAsAdmin,
  openRowDialog,
} from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { listPurchases, makePasswordEntriesOld, query, readStock } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, post, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true, viewport: { width: 390, height: 844 } });
// Each journey has many steps.
test.describe.configure({ timeout: 240_000 });

const DIALOG = "[role=dialog]";
const SEARCH = "Search users by email or name";

const rowOf = (page: Page, text: string) =>
  page.getByRole("table", { name: "Users" }).getByRole("row").filter({ hasText: text });

/** Opens the list of users, searched for one. @returns the row of the user */
async function openUser(shop: ShopPage, email: string): Promise<Locator> {
  await openAsAdmin(shop, `/admin?q=${encodeURIComponent(email)}`);
  const row = rowOf(shop.page, email);
  await expect(row).toBeVisible();
  return row;
}

const itemOf = (dialog: Locator, tool: string) =>
  dialog
    .getByRole("listitem")
    .filter({ has: dialog.page().getByRole("heading", { name: tool, exact: true }) });

/** As the extension does in a browser of the user. */
const connectDevice = (email: string, name: string) =>
  query(
    `insert into devices (id, user_id, installation_id, name, extension_version, token_hash, last_seen_at)
      select gen_random_uuid(), id, gen_random_uuid(), $2, '1.0.0', $1 || $2, now() from users where email = $1`,
    [email, name],
  );

async function close(dialog: Locator): Promise<void> {
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
}

test("an admin finds a user and assigns a tool, once and only after the password, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  await openAsAdmin(shop, "/admin");
  await page.getByRole("searchbox", { name: SEARCH }).fill(email);
  await expect(page).toHaveURL(new RegExp(`q=${encodeURIComponent(email)}`));
  const row = rowOf(page, email);
  await expect(row.getByText("No name")).toBeVisible();
  await onWidePage(page, () => expect(row.getByRole("cell", { name: "Email", exact: true })).toBeVisible());

  await page.getByRole("button", { name: "Filters and order" }).click();
  await page.getByLabel("Provider", { exact: true }).selectOption("Google");
  await expect(shop.heading("No users found")).toBeVisible();
  await expect(page.getByText("Try adjusting your search or filter criteria.")).toBeVisible();
  await expectAccessible(page, "users empty", "main");
  await page.getByLabel("Provider", { exact: true }).selectOption("All Providers");

  await makePasswordEntriesOld();
  const dialog = await openRowDialog(page, row, "Add Tools", `Assign Tools to ${email}`);
  const owned = itemOf(dialog, "Canva").getByRole("button", { name: "Already Assigned" });
  await expect(owned).toBeDisabled();
  const tool = itemOf(dialog, "QuillBot");
  const stock = await readStock("quillbot");
  await expect(tool.getByText("₹", { exact: false })).toBeVisible();
  await expect(tool.getByText(`${stock} in stock`)).toBeVisible();
  await expect(tool.getByText(/^\d+ days$/)).toBeVisible();
  await expectAccessible(page, "users Add Tools", DIALOG);
  await tool.getByRole("button", { name: "Assign" }).click();
  await expect(page.getByRole("dialog", { name: "Enter your password" })).toBeVisible();
  expect(await listPurchases(email)).toHaveLength(1);
  // The tool is not chosen again.
  await expectBanner(page, "Tool assigned.", () => enterPassword(page));
  await expect(tool.getByRole("button", { name: "Already Assigned" })).toBeDisabled();
  expect(await readStock("quillbot")).toBe(stock - 1);
  expect(await listPurchases(email)).toMatchObject([
    { tool: "Canva", status: "completed" },
    { tool: "QuillBot", status: "completed", amount: 0 },
  ]);
  await close(dialog);
  await buyer.page.goto("/dashboard");
  await expect(buyer.pass("QuillBot").getByText("Active", { exact: true })).toBeVisible();
});

test("an admin changes and deletes what a user has bought, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  const row = await openUser(shop, email);
  const dialog = await openRowDialog(page, row, "Purchased Tools", "Purchased Tools");
  await expect(dialog.getByRole("heading", { name: "No tools purchased yet" })).toBeVisible();

  // What happens elsewhere appears by itself.
  await buyPass(buyer.page, "canva", "7 Days");
  await post(buyer.page, "/checkout/start", { slug: "quillbot", option: "7 Days" });
  const bought = itemOf(dialog, "Canva");
  await expect(bought.getByText("Active", { exact: true })).toBeVisible();
  await expect(bought.getByText("Completed", { exact: true })).toBeVisible();
  const pending = itemOf(dialog, "QuillBot");
  await expect(pending.getByText("Pending", { exact: true })).toBeVisible();
  await expect(pending.getByText("Unknown", { exact: true })).toBeVisible();
  await expect(pending.getByRole("button", { name: "Extend Date" })).toBeDisabled();

  await bought.getByRole("button", { name: "Extend Date" }).click();
  const date = bought.getByPlaceholder("DD-MM-YYYY");
  await expect(date).toBeFocused();
  for (const [text, message] of [
    ["2099-12-31", "Please enter a valid date in DD-MM-YYYY format."],
    ["31-02-2099", "Please enter a valid date."],
    ["01-01-2001", /^The pass began on \d\d\/\d\d\/\d\d\. It cannot end before that\.$/],
  ] as const) {
    await date.fill(text);
    await bought.getByRole("button", { name: "Set Date" }).click();
    await expect(bought.getByText(message, { exact: true })).toBeVisible();
  }
  await expectAccessible(page, "users Purchased Tools", DIALOG);
  await date.fill("31-12-2070");
  await bought.getByRole("button", { name: "Set Date" }).click();
  await expect(bought.getByText("31/12/70", { exact: true })).toBeVisible();
  await expect(bought.getByRole("button", { name: "Extend Date" })).toBeFocused();

  await query("update user_purchases set tool_id = null, tool_name = 'Old Tool' where user_email = $1", [
    email,
  ]);
  await close(dialog);
  await connectDevice(email, "Firefox on Windows");
  const again = await openRowDialog(page, row, "Purchased Tools", "Purchased Tools");
  const unknown = itemOf(again, "Unknown Tool");
  await expect(unknown).toHaveCount(2);
  await expect(unknown.getByText("No description available").first()).toBeVisible();

  await makePasswordEntriesOld();
  await unknown.last().getByRole("button", { name: "Delete Purchase" }).click();
  const confirmation = page.getByRole("dialog", { name: "Delete this purchase?" });
  await confirmation.getByRole("button", { name: "Delete Purchase" }).click();
  await enterPassword(page);
  await expect(unknown).toHaveCount(1);
  await expect(confirmation).toHaveCount(0);

  const devices = again.getByRole("region", { name: "Devices" });
  await expect(devices.getByText(/^Connected .* · last seen .* · version 1\.0\.0$/)).toBeVisible();
  await devices.getByRole("button", { name: "Release Firefox on Windows" }).click();
  const release = page.getByRole("dialog", { name: "Release Firefox on Windows?" });
  await expectBanner(page, "Device released.", () =>
    release.getByRole("button", { name: "Release" }).click(),
  );
  await expect(release).toHaveCount(0);
  await expect(devices).toHaveCount(0);
  await close(again);
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
});

test("an admin deactivates, activates and deletes a user, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  await buyPass(buyer.page, "canva", "7 Days");
  const row = await openUser(shop, email);
  const status = row.getByRole("switch");
  await expect(status).toHaveText(/^Active/);
  await status.click();
  const question = page.getByRole("dialog", { name: `Deactivate ${email}?` });
  await expect(question.getByText(/signed out everywhere/)).toBeVisible();
  await expect(question.getByText(/Passes are kept/)).toBeVisible();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toHaveCount(0);
  await expect(status).toHaveText(/^Active/);
  await status.click();
  await expectBanner(page, "User deactivated and signed out everywhere.", () =>
    question.getByRole("button", { name: "Deactivate User" }).click(),
  );
  await expect(status).toHaveText(/^Inactive/);
  await buyer.page.goto("/dashboard");
  await expect(buyer.page).toHaveURL(/\/$/);
  await expectAccessible(page, "users");
  const resetLink = await findRowAction(row, /^Reset Link/);
  await expect(resetLink).toHaveAccessibleName(/This user is deactivated and cannot sign in\./);
  await expectBanner(page, /^This user is deactivated/, () => resetLink.click({ force: true }));
  await expectBanner(page, "User activated.", () => status.click());
  await expect(status).toHaveText(/^Active/);

  await makePasswordEntriesOld();
  await query("update users set display_name = 'Asha Rao' where email = $1", [email]);
  await expect(row.getByText("Asha Rao")).toBeVisible();
  await close(await openRowDialog(page, row, "Add Tools", "Assign Tools to Asha Rao"));
  const dialog = await openRowDialog(page, row, "Delete", "Delete Asha Rao?");
  await expect(dialog.getByText("1 running pass ends")).toBeVisible();
  await expectAccessible(page, "users Delete", DIALOG);
  await dialog.getByRole("button", { name: "Delete User" }).click();
  await expectBanner(page, "User deleted.", () => enterPassword(page));
  await expect(dialog).toHaveCount(0);
  await expect(shop.heading("No users found")).toBeVisible();
  expect(await listPurchases(email)).toEqual([]);
});

test("a buyer who has forgotten the password gets in with a link of the owner, in a shop without mail", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  const row = await openUser(shop, email);
  await makePasswordEntriesOld();
  const dialog = await openRowDialog(page, row, "Reset Link", "Password reset link");
  await dialog.getByRole("button", { name: "Create Link" }).click();
  await enterPassword(page);
  await expect(dialog.getByText("within 60 minutes")).toBeVisible();
  const link = await dialog.getByText(/\/reset-password\?token=/).innerText();
  await expectAccessible(page, "users reset link", DIALOG);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toHaveCount(0);
  await openRowDialog(page, row, "Reset Link", "Password reset link");
  await expect(page.getByText(/\/reset-password\?token=/)).toHaveCount(0);

  await buyer.page.goto(link);
  await buyer.waitForHydration();
  await buyer.page.getByLabel("New password").fill("a-new-monsoon-at-sea");
  await buyer.page.getByRole("button", { name: "Set New Password" }).click();
  await expect(buyer.page.getByText("Your new password is set. Please sign in with it.")).toBeVisible();
  await buyer.page.getByRole("button", { name: "Sign In" }).click();
  await buyer.signIn.fill({ email, password: "a-new-monsoon-at-sea" });
  await buyer.signIn.button("Sign In").click();
  await expect(buyer.signIn.root).toHaveCount(0);
  await buyer.open("/dashboard");
  await expect(buyer.heading("My Tools")).toBeVisible();
});

test("a tab that is pressed right after typing opens, and the search does not replace it", async ({
  shop,
  page,
}) => {
  await openAsAdmin(shop, "/admin");
  const searched = page.waitForRequest(/\/admin\.data\?q=/);
  // The tab is still loading when the pause after typing ends.
  await page.route(/\/admin\/coupons\.data/, async (route) => {
    await searched;
    await route.continue();
  });
  await page.getByRole("searchbox", { name: SEARCH }).fill("asha");
  await page.getByRole("tab", { name: /^Coupon Codes/ }).click();
  await expect(page.getByRole("tab", { name: /^Coupon Codes/ })).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/\/admin\/coupons$/);
});
