import { randomUUID } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { loadOrCreateKeys } from "#adapters/cipher/key-file.ts";
import { sealImportedDocument } from "#core/vault/seal-secrets.ts";
import { expectAccessible } from "./accessibility.ts";
import { enterPassword, findRowAction, openRowDialog, purchaseRow, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { listPurchases, makePasswordEntriesOld, query } from "./shop-database.ts";
import { signInAsNewUser } from "./test-users.ts";

interface OldPurchase {
  slug: string;
  status: "pending" | "completed" | "active" | "failed";
  /** Days from now. */
  from: number;
  until: number;
  superseded?: boolean;
}

/** Inserts a purchase as the import writes it. @returns its id */
async function addPurchase(email: string, purchase: OldPurchase): Promise<string> {
  const id = randomUUID();
  const { slug, status, from, until, superseded = false } = purchase;
  await query(
    `insert into user_purchases (id, user_id, user_email, tool_id, tool_name, validity, list_price_paise, amount, status,
       source, starts_at, expires_at, created_at, ended_at, ended_reason)
     select $1, users.id, users.email, tools.id, tools.name, 30, 49900, 49900, $4, 'import',
       now() + make_interval(days => $5), now() + make_interval(days => $6), now() + make_interval(days => $5),
       case when $7 then now() end, case when $7 then 'superseded' end
     from users, tools where users.email = $2 and tools.slug = $3`,
    [id, email, slug, status, from, until, superseded],
  );
  return id;
}

/** Inserts the original document of a row. A document without a table belongs to the account. */
async function addDocument(email: string, collection: string, document: object, purchaseId?: string) {
  await query(
    `insert into imported_documents (id, collection, document_id, became_table, became_id, content_hash, document)
     select gen_random_uuid(), $2, 'old-' || gen_random_uuid(), $3, coalesce($4::uuid, id), 'hash', $5::jsonb
     from users where email = $1`,
    [
      email,
      collection,
      purchaseId === undefined ? "users" : "user_purchases",
      purchaseId ?? null,
      JSON.stringify(document),
    ],
  );
}

/** The same for a document with a password, sealed with the key of the shop. */
async function addSealedDocument(email: string, document: Record<string, unknown>): Promise<void> {
  const dataDir = process.env.E2E_DATA_DIR ?? "";
  const keys = await loadOrCreateKeys({ authSecret: undefined, vaultKeys: [], dataDir, mayGenerate: true });
  const id = randomUUID();
  await query(
    `insert into imported_documents (id, collection, document_id, became_table, became_id, content_hash, document_sealed)
     select $2, 'user_documents', 'sealed-document', 'users', id, 'hash', $3 from users where email = $1`,
    [email, id, sealImportedDocument(createCipher(keys), id, document)],
  );
}

const SEARCH = "Search by email, tool, ID, phone, UTR, UPI or amount";

const rowOf = (page: Page, email: string, tool: string, status: string) =>
  purchaseRow(page, email, tool).filter({ hasText: status });

async function setStatus(dialog: Locator, status: string): Promise<void> {
  await dialog.getByLabel("Status").selectOption(status);
  await dialog.getByRole("button", { name: "Set Status" }).click();
}

const fieldOf = (part: Locator, name: string) =>
  part.getByText(name, { exact: true }).locator("xpath=following-sibling::dd");

test.describe("at 1280 px", () => {
  test.use({ viewport: { width: 1280, height: 900 } });

  test("an admin reads what an old shop kept of a purchase, sets its status, and cancels it", async ({
    shop,
    page,
    openOtherBrowser,
  }) => {
    test.slow();
    const buyer = await openOtherBrowser();
    const { email } = await signInAsNewUser(buyer.page);
    const unpaid = await addPurchase(email, { slug: "canva", status: "pending", from: -2, until: 28 });
    await addPurchase(email, { slug: "quillbot", status: "active", from: -3, until: 40 });
    await addPurchase(email, {
      slug: "quillbot",
      status: "completed",
      from: -20,
      until: 10,
      superseded: true,
    });
    await addDocument(
      email,
      "purchases",
      {
        userEmail: email,
        toolName: "Canva",
        price: 499,
        category: "design",
        purchaseDate: "2024-05-01T10:30:00.000Z",
        paymentStatus: "pending",
        purchaseMethod: "admin_assignment",
        notes: null,
      },
      unpaid,
    );

    await signInAsAdmin(shop);
    await page.getByRole("tab", { name: /^User Purchases/ }).click();
    await page.getByRole("searchbox", { name: SEARCH }).fill(email);
    const pending = rowOf(page, email, "Canva", "Pending");
    await expect(pending.getByText("Imported", { exact: true })).toBeVisible();
    await expect(pending.getByText("N/A", { exact: true })).toBeVisible();
    const replaced = rowOf(page, email, "QuillBot", "Superseded");
    await expect(replaced.getByRole("button", { name: "Set Status" })).toBeDisabled();
    await expect(rowOf(page, email, "QuillBot", "Completed")).toBeVisible();
    const drawer = await openRowDialog(page, pending, "View", "Canva");
    const original = drawer.getByRole("region", { name: "From the old shop" });
    await expect(fieldOf(original, "Collection")).toHaveText("purchases");
    await expect(fieldOf(original, "Price")).toHaveText("₹499");
    await expect(fieldOf(original, "Purchase date")).toHaveText("01/05/24");
    await expect(fieldOf(original, "Payment status")).toHaveText("pending");
    await expect(fieldOf(original, "Notes")).toHaveText("–");
    await expectAccessible(page, "admin imported purchase", '[role="dialog"]');
    await page.setViewportSize({ width: 1280, height: 900 });

    await makePasswordEntriesOld();
    await drawer.getByRole("button", { name: "Set Status" }).click();
    const dialog = page.getByRole("dialog", { name: "Set status of Canva" });
    await dialog.getByLabel("Status").selectOption("Completed");
    await expect(dialog.getByText(/^The buyer has access until /)).toBeVisible();
    await dialog.getByRole("button", { name: "Set Status" }).click();
    await enterPassword(page);
    const completed = rowOf(page, email, "Canva", "Completed");
    await expect(completed).toBeVisible();
    expect(await listPurchases(email)).toContainEqual(
      expect.objectContaining({ tool: "Canva", status: "completed" }),
    );
    await buyer.open("/dashboard");
    await expect(buyer.page.getByRole("heading", { name: "Canva" })).toBeVisible();

    const again = await openRowDialog(page, completed, "Set Status", "Set status of Canva");
    await setStatus(again, "Active (the same as Completed)");
    await expect(again).toHaveCount(0);
    const timeline = await openRowDialog(page, rowOf(page, email, "Canva", "Completed"), "View", "Canva");
    await expect(timeline.getByText("Status: pending → completed")).toBeVisible();
    await expect(timeline.getByText("Status: completed → active")).toBeVisible();
    await timeline.getByRole("button", { name: "Close" }).click();
    await expect(timeline).toHaveCount(0);

    const extension = await openRowDialog(
      page,
      rowOf(page, email, "Canva", "Completed"),
      "Extend",
      "Extend Canva",
    );
    await extension.getByRole("button", { name: "Extend" }).click();
    await expect(extension).toHaveCount(0);
    const cancellation = await openRowDialog(
      page,
      rowOf(page, email, "Canva", "Completed"),
      "Cancel",
      "Cancel Canva?",
    );
    await expect(cancellation.getByText(/there is nothing to refund here/)).toBeVisible();
    await cancellation.getByLabel("Reason").fill("Bought again");
    await cancellation.getByRole("button", { name: "Cancel Purchase", exact: true }).click();
    await expect(rowOf(page, email, "Canva", "Cancelled")).toBeVisible();
    await expect(await findRowAction(rowOf(page, email, "Canva", "Cancelled"), "Set Status")).toBeDisabled();
  });

  test("a second pass in the same time is refused where the admin sets the status of an imported purchase", async ({
    shop,
    page,
    openOtherBrowser,
  }) => {
    test.slow();
    const buyer = await openOtherBrowser();
    const { email } = await signInAsNewUser(buyer.page);
    await addPurchase(email, { slug: "canva", status: "completed", from: -3, until: 20 });
    await addPurchase(email, { slug: "canva", status: "failed", from: -2, until: 28 });
    await signInAsAdmin(shop);
    // A list that is being searched is pale.
    await shop.open(`/admin/purchases?q=${encodeURIComponent(email)}`);
    const failed = rowOf(page, email, "Canva", "Failed");
    await expect(failed).toBeVisible();
    await expectAccessible(page, "admin imported purchases");
    await page.setViewportSize({ width: 1280, height: 900 });
    const dialog = await openRowDialog(page, failed, "Set Status", "Set status of Canva");
    await setStatus(dialog, "Completed");
    await expect(
      dialog.getByText("This user already has a pass for this tool in the same period. End that pass first."),
    ).toBeVisible();
    await expectAccessible(page, "admin set status", '[role="dialog"]');
    await page.setViewportSize({ width: 1280, height: 900 });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard Changes" }).click();
    await expect(failed).toBeVisible();
  });

  test("the purchased tools of an imported user have the old shop's list, and a purchase is deleted there", async ({
    shop,
    page,
    openOtherBrowser,
  }) => {
    test.slow();
    const buyer = await openOtherBrowser();
    const { email } = await signInAsNewUser(buyer.page);
    await addPurchase(email, { slug: "canva", status: "completed", from: -3, until: 20 });
    await addPurchase(email, { slug: "quillbot", status: "pending", from: -2, until: 28 });
    const purchasedTools = [
      {
        toolId: "canva-old",
        name: "Canva Pro",
        price: 499,
        category: "design",
        purchaseDate: "2024-05-01T10:30:00.000Z",
        accessType: "premium",
      },
      { name: "Grammarly", price: "299 only", purchaseDate: "12/06/2024", accessType: "premium" },
    ];
    await addDocument(email, "user_documents", { email, purchasedTools });
    await addSealedDocument(email, { service: "QuillBot", password: "an-old-password-8" });

    await signInAsAdmin(shop);
    await page.getByRole("searchbox", { name: "Search users by email or name" }).fill(email);
    const row = page.getByRole("table", { name: "Users" }).getByRole("row").filter({ hasText: email });
    const dialog = await openRowDialog(page, row, "Purchased Tools", "Purchased Tools");
    const old = dialog.getByRole("region", { name: "From the old shop" });
    const [canva, grammarly] = [old.getByRole("listitem").first(), old.getByRole("listitem").nth(1)];
    for (const [name, value] of [
      ["Name", "Canva Pro"],
      ["Price", "₹499"],
      ["Category", "design"],
      ["Purchase date", "01/05/24"],
      ["Access type", "premium"],
    ] as const)
      await expect(fieldOf(canva, name)).toHaveText(value);
    await expect(fieldOf(grammarly, "Price")).toHaveText("299 only");
    await expect(fieldOf(grammarly, "Purchase date")).toHaveText("12/06/2024");
    await expectAccessible(page, "admin imported user", '[role="dialog"]');
    await page.setViewportSize({ width: 1280, height: 900 });

    await old.getByText("Original documents (2)").click();
    await expect(
      old.getByText("This document contains passwords or codes and is stored encrypted."),
    ).toBeVisible();
    await makePasswordEntriesOld();
    await old.getByRole("button", { name: "Show the document sealed-document" }).click();
    await expect(old.getByText("an-old-password-8")).toHaveCount(0);
    await enterPassword(page);
    await expect(old.getByText("an-old-password-8")).toBeVisible();
    await expectAccessible(page, "admin imported documents", '[role="dialog"]');
    await page.setViewportSize({ width: 1280, height: 900 });

    await dialog.getByRole("button", { name: /^Delete Purchase of Canva/ }).click();
    const question = page.getByRole("dialog", { name: "Delete this purchase?" });
    await expect(question.getByText(/is not paid back/)).toHaveCount(0);
    await question.getByRole("button", { name: "Delete Purchase" }).click();
    await expect(dialog.getByRole("heading", { name: "Canva" })).toHaveCount(0);
    await expect(dialog.getByRole("heading", { name: "QuillBot" })).toBeVisible();
    await buyer.open("/account");
    await expect(buyer.page.getByRole("list", { name: "Orders" }).getByRole("listitem")).toHaveCount(1);
  });

  test("a buyer from an old shop sees a replaced pass and an unpaid order, and no payment in progress", async ({
    shop,
    page,
  }) => {
    test.slow();
    const { email } = await signInAsNewUser(page);
    await addPurchase(email, { slug: "canva", status: "pending", from: -2, until: 28 });
    await addPurchase(email, { slug: "quillbot", status: "active", from: -3, until: 40 });
    await addPurchase(email, {
      slug: "quillbot",
      status: "completed",
      from: -20,
      until: 10,
      superseded: true,
    });
    await shop.open("/dashboard");
    await expect(page.getByText("Past access")).toBeVisible();
    await expect(page.getByText("Payment not finished")).toHaveCount(0);
    await expect(page.getByText("Replaced by a longer pass", { exact: true })).toBeVisible();
    await expectAccessible(page, "dashboard imported");
    await shop.open("/account");
    const orders = page.getByRole("list", { name: "Orders" }).getByRole("listitem");
    await expect(orders.filter({ hasText: "Not paid" })).toHaveCount(1);
    const replaced = orders.filter({ hasText: "Replaced by a longer pass" });
    await expectAccessible(page, "orders imported");
    await replaced.getByRole("link", { name: /^Receipt/ }).click();
    await expect(page.getByText(/from the shop’s earlier records/)).toBeVisible();
    await expect(page.getByText(/pay_/)).toHaveCount(0);
    await expectAccessible(page, "receipt imported");
  });
});
