import { expect, type Locator } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { expectBanner, openAsAdmin, openRowDialog, purchaseRow } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { listPurchases, readStock } from "./shop-database.ts";
import { signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true, viewport: { width: 390, height: 844 } });
// A journey of many steps.
test.describe.configure({ timeout: 240_000 });

const DIALOG = "[role=dialog]";

const itemOf = (dialog: Locator, tool: string) =>
  dialog
    .getByRole("listitem")
    .filter({ has: dialog.page().getByRole("heading", { name: tool, exact: true }) });

test("an admin records a sale made by hand, renews it, and gives its money back, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  const row = page.getByRole("table", { name: "Users" }).getByRole("row").filter({ hasText: email });
  await openAsAdmin(shop, `/admin?q=${encodeURIComponent(email)}`);
  const stock = await readStock("quillbot");
  const tools = await openRowDialog(page, row, "Add Tools", `Assign Tools to ${email}`);
  const tool = itemOf(tools, "QuillBot");
  const free = itemOf(tools, "Grammar Checker");
  await free.getByRole("button", { name: "Paid by hand…" }).click();
  await expect(free.getByLabel("Amount paid (₹)")).toHaveValue("");
  await tool.getByRole("button", { name: "Paid by hand…" }).click();
  await tool.getByLabel("Option", { exact: true }).selectOption("");
  await tool.getByLabel("Days", { exact: true }).fill("45");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  for (const leave of [
    () => page.keyboard.press("Escape"),
    () => tool.getByRole("button", { name: "Cancel" }).click(),
  ]) {
    await leave();
    await question.getByRole("button", { name: "Keep Editing" }).click();
    await expect(question).toBeHidden();
    await expect(tool.getByLabel("Days", { exact: true })).toHaveValue("45");
  }
  await free.getByRole("button", { name: "Cancel" }).click();
  await expect(free).toBeFocused();
  await free.getByRole("button", { name: "Paid by hand…" }).click();
  await free.getByLabel("Amount paid (₹)").fill("10");
  await free.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Discard Changes" }).click();
  await expect(free.getByLabel("Amount paid (₹)")).toHaveCount(0);
  await expect(free).toBeFocused();
  await tool.getByLabel("Amount paid (₹)").fill("350");
  await tool.getByRole("button", { name: "Record the Sale" }).click();
  await expect(tool.getByText("Enter the reference of the transfer, such as its UTR.")).toBeVisible();
  const reference = `4123 ${Date.now()}`;
  await tool.getByLabel("Reference", { exact: true }).fill(`utr ${reference}`);
  await expectAccessible(page, "users Paid by hand", DIALOG);
  await expectBanner(page, "Sale recorded.", () =>
    tool.getByRole("button", { name: "Record the Sale" }).click(),
  );
  await expect(tool.getByRole("button", { name: "Already Assigned" })).toBeDisabled();
  await expect(tool.getByRole("button", { name: "Paid by hand…" })).toBeDisabled();
  expect(await readStock("quillbot")).toBe(stock - 1);
  expect(await listPurchases(email)).toMatchObject([
    { tool: "QuillBot", status: "completed", amount: 35_000 },
  ]);
  await tools.getByRole("button", { name: "Close" }).click();

  await buyer.page.goto("/dashboard");
  await buyer.page.getByRole("link", { name: "Receipt for QuillBot" }).click();
  await expect(buyer.page.getByText("Payment: UPI (paid to the shop)")).toBeVisible();
  await expect(buyer.page.getByText("A gift from the shop")).toHaveCount(0);

  const purchased = await openRowDialog(page, row, "Purchased Tools", "Purchased Tools");
  await itemOf(purchased, "QuillBot").getByRole("button", { name: "Renew by hand" }).click();
  await purchased.getByLabel("How", { exact: true }).selectOption("Cash");
  await purchased.getByLabel("Amount paid (₹)").fill("100");
  await expectBanner(page, "Sale recorded.", () =>
    purchased.getByRole("button", { name: "Renew", exact: true }).click(),
  );
  await expect(itemOf(purchased, "QuillBot")).toHaveCount(2);
  expect(await readStock("quillbot")).toBe(stock - 2);
  await purchased.getByRole("button", { name: "Close" }).click();

  await shop.open(`/admin/purchases?status=running&current=1&q=${encodeURIComponent(reference)}`);
  const bought = purchaseRow(page, email, "QuillBot").filter({ hasText: "Sold by hand" });
  const view = await openRowDialog(page, bought, "View", "QuillBot");
  await expect(view.getByText("QuillBot sold by hand for ₹350")).toBeVisible();
  await expect(view.getByText(`UPI · ${reference.replace(" ", "")}`)).toBeVisible();
  await expect(view.getByText("manual,")).toHaveCount(0);
  await expect(view.getByRole("button", { name: /^Ask / })).toHaveCount(0);
  await view.getByRole("button", { name: "Close" }).click();
  await expect(bought.getByRole("button", { name: /^Actions: / })).toBeFocused();
  const cancel = await openRowDialog(page, bought, "Cancel", "Cancel QuillBot?");
  await expect(cancel.getByText("you give it back yourself", { exact: false })).toBeVisible();
  const given = "Purchase cancelled. Give ₹350 back yourself, then enter how in Overview.";
  await expectBanner(page, given, () =>
    cancel.getByRole("button", { name: "Cancel Purchase and Refund ₹350" }).click(),
  );
  // The filter hides it now, and its button had the focus.
  await expect(bought).toHaveCount(0);
  await expect(page.locator("[aria-busy]:focus")).toHaveCount(1);
  await shop.open("/admin/overview");
  await page.getByRole("button", { name: "Given Back… order" }).first().click();
  const payout = page.getByRole("dialog", { name: "How was it given back?" });
  await payout.getByLabel("Reference", { exact: true }).fill("back 1");
  await expectAccessible(page, "promised payout", DIALOG);
  await expectBanner(page, "Recorded: ₹350 given back.", () =>
    payout.getByRole("button", { name: "Record" }).click(),
  );
  await expect(page.getByText("promised: you give the money back yourself", { exact: false })).toHaveCount(0);
  await buyer.page.reload();
  await expect(buyer.page.getByText("Refunded", { exact: true }).first()).toBeVisible();
});
