import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import type { FakeGateway } from "../fake-gateway/fake-gateway.ts";
import { expectAccessible } from "./accessibility.ts";
import { becomeAdmin, enterPassword, expectBanner, openRowDialog } from "./admin-page.ts";
import { choosePass, test } from "./razorpay-fixtures.ts";
import { listMails, listPurchases, makePasswordEntriesOld, query, readStock } from "./shop-database.ts";
import { post, signInAsNewUser } from "./test-users.ts";

// The journey has many steps.
test.describe.configure({ timeout: 240_000 });

const KEY = "restored-backup";
test.afterEach(async () => {
  await query("delete from settings where key = $1", [KEY]);
});

/** Writes what a restore writes: the backup was made just now. */
async function restore(): Promise<void> {
  await query(
    `insert into settings (key, value) values ($1, jsonb_build_object('restoredAt', $2::text, 'backupAt', $2::text, 'confirmedAt', null))
     on conflict (key) do update set value = excluded.value`,
    [KEY, new Date().toISOString()],
  );
}

const started = z.object({ gatewayOrderId: z.string(), purchaseId: z.uuid() });

/** A purchase that is paid at the gateway and missing from the backup. @returns the ids of the payment and the purchase */
async function payAndLose(page: Page, gateway: FakeGateway, slug: string) {
  const answer = await post(page, "/checkout/start", { slug, option: "7 Days" });
  const { gatewayOrderId, purchaseId } = started.parse(await answer.json());
  await query("delete from payment_orders where purchase_id = $1", [purchaseId]);
  await query("delete from user_purchases where id = $1", [purchaseId]);
  await query("update tools set available_stock = available_stock + 1 where slug = $1", [slug]);
  return { paymentId: gateway.pay(gatewayOrderId).razorpay_payment_id, gatewayOrderId, purchaseId };
}

test("the shop after a restore waits for the admin, who then assigns one payment that the backup lacks and refunds another", async ({
  shop,
  page,
  gateway,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser();
  const { email } = await signInAsNewUser(buyer.page);
  const canva = await payAndLose(buyer.page, gateway, "canva");
  const quillbot = await payAndLose(buyer.page, gateway, "quillbot");
  await restore();
  const stock = await readStock("canva");
  const notice = page.getByText(/^This shop was restored from a backup of/);
  const open = page.getByRole("button", { name: "This is now the shop", exact: true });
  const payments = page.getByRole("region", { name: "Payments that are missing from the backup" });
  const itemOf = ({ paymentId }: { paymentId: string }) =>
    payments.getByRole("listitem").filter({ hasText: paymentId });

  await test.step("a buyer reads that the shop is not open yet, and nothing is held", async () => {
    await choosePass(buyer, { tool: "Canva", option: "7 Days", price: "₹49" });
    await buyer.purchase.pay("₹49").click();
    await expect(buyer.page.getByText("This shop is being set up again and is not open yet.")).toBeVisible();
    expect(await listPurchases(email)).toEqual([]);
    expect(await readStock("canva")).toBe(stock);
  });

  await test.step("every page of the admin says what waits", async () => {
    await becomeAdmin(page);
    for (const path of ["/admin/settings", "/admin/purchases", "/admin"]) {
      await shop.open(path);
      await expect(notice).toBeVisible();
      await expect(page.getByText("Mail, refunds and sales wait until you confirm")).toBeVisible();
    }
    await expectAccessible(page, "admin notice after a restore");
  });

  await test.step("the admin reads what the confirmation does, and confirms with a recent password", async () => {
    await makePasswordEntriesOld();
    await open.click();
    const dialog = page.getByRole("dialog", { name: "Is this now the shop?" });
    await expect(dialog.getByText("Buyers can buy again")).toBeVisible();
    await expectAccessible(page, "dialog after a restore");
    await dialog.getByRole("button", { name: "Not Yet" }).click();
    await expect(notice).toBeVisible();
    await open.click();
    await dialog.getByRole("button", { name: "Yes, This Is Now the Shop" }).click();
    await expectBanner(page, "Confirmed. The shop is open, and everything that was waiting runs now.", () =>
      enterPassword(page),
    );
    await expect(notice).toBeHidden();
  });

  await test.step("the overview lists the payments that the backup lacks, with what was bought and by whom", async () => {
    await shop.open("/admin/overview");
    await expect(itemOf(canva)).toContainText(`Canva for 7 days, bought by ${email}`);
    await expect(itemOf(quillbot)).toContainText(`QuillBot for 7 days, bought by ${email}`);
    await expectAccessible(page, "payments that are missing from the backup");
  });

  await test.step("one is assigned: the buyer has the tool and the receipt", async () => {
    await itemOf(canva).getByRole("link", { name: "Paid by hand…" }).click();
    await expect(page.getByText(`₹49, ${canva.paymentId}: find the buyer`)).toBeInViewport();
    await expectAccessible(page, "users for a payment that is missing from the backup");
    const row = page.getByRole("table", { name: "Users" }).getByRole("row").filter({ hasText: email });
    const dialog = await openRowDialog(page, row, "Add Tools", `Assign Tools to ${email}`);
    const tool = dialog.getByRole("listitem").first();
    await expect(tool.getByRole("heading", { name: "Canva", exact: true })).toBeVisible();
    await expect(tool.getByLabel("Option", { exact: true })).toHaveValue("7 Days");
    await expect(tool.getByLabel("Amount paid (₹)")).toHaveValue("49");
    await expect(tool.getByLabel("Reference", { exact: true })).toHaveValue(canva.paymentId);
    await expectAccessible(page, "a payment that is missing from the backup, paid by hand", "[role=dialog]");
    await tool.getByLabel("Amount paid (₹)").fill("48");
    await tool.getByRole("button", { name: "Record the Sale" }).click();
    await expect(tool.getByText(`₹49 was paid with ${canva.paymentId}. Enter this amount.`)).toBeVisible();
    expect(await listPurchases(email)).toEqual([]);
    await tool.getByLabel("Amount paid (₹)").fill("49");
    await expectBanner(page, "Sale recorded.", () =>
      tool.getByRole("button", { name: "Record the Sale" }).click(),
    );
    await expect(tool.getByRole("button", { name: "Already Assigned" })).toBeDisabled();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("find the buyer", { exact: false })).toHaveCount(0);
    await shop.open("/admin/overview");
    await expect(itemOf(quillbot)).toBeVisible();
    await expect(itemOf(canva)).toHaveCount(0);
    expect(await listPurchases(email)).toMatchObject([{ tool: "Canva", status: "completed", amount: 4900 }]);
    expect(await readStock("canva")).toBe(stock - 1);
    expect((await listMails(email)).map(({ subject }) => subject)).toContainEqual(
      expect.stringContaining("Canva"),
    );
    await buyer.open(`/account/orders/${canva.purchaseId}`);
    await expect(buyer.page.getByText("₹49").first()).toBeVisible();
    await buyer.open("/tools/canva");
    await expect(buyer.heading("Canva")).toBeVisible();
  });

  await test.step("another one is refunded at the gateway, once", async () => {
    await itemOf(quillbot).getByRole("button", { name: "Refund" }).click();
    const dialog = page.getByRole("dialog", { name: "Refund ₹39?" });
    await expectBanner(page, "The refund of ₹39 has started.", () =>
      dialog.getByRole("button", { name: "Refund" }).click(),
    );
    // While the dialog closes, the list behind it is hidden too, and the refund may still be on its way.
    await expect
      .poll(() => gateway.paymentsOf(quillbot.gatewayOrderId))
      .toMatchObject([{ refundedPaise: 3900, refunds: [{ by: "api" }] }]);
    await expect(itemOf(quillbot)).toBeHidden();
    expect(gateway.paymentsOf(canva.gatewayOrderId)).toMatchObject([{ refundedPaise: 0 }]);
  });

  await test.step("the audit log names all three", async () => {
    await shop.open("/admin/audit");
    for (const text of [
      "Confirmed that this restored shop is now the shop",
      `Assigned the payment ${canva.paymentId}`,
      `Started a refund of the payment ${quillbot.paymentId}`,
    ]) {
      await expect(page.getByText(text).first()).toBeVisible();
    }
  });
});
