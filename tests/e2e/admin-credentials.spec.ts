import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { enterPassword, expectBanner, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { makePasswordEntriesOld, query } from "./shop-database.ts";

test.use({ isTranslated: true, viewport: { width: 1280, height: 844 } });
// The journey has many steps.
test.describe.configure({ timeout: 240_000 });

const rowOf = (page: Page, text: string) =>
  page.getByRole("table", { name: "Credentials" }).getByRole("row").filter({ hasText: text });

test("an admin adds, finds, reveals, changes and deletes a credential, at 1280 px", async ({
  shop,
  page,
}) => {
  await page.clock.install();
  await openAsAdmin(shop, "/admin/credentials");
  await expect(page.getByRole("tab", { name: /^Credentials \(\d+\)$/, selected: true })).toBeVisible();
  const email = "shared-1280@example.com";
  await page.getByRole("button", { name: "+ Add Credential" }).click();
  const form = page.getByRole("dialog", { name: "Add Credential" });
  const service = form.getByLabel("Service Name");
  await expect(service).toBeVisible();
  expect(await service.getByRole("option").allInnerTexts()).toEqual([
    "Select a service",
    "Stealth Writer",
    "QuillBot",
    "Write Human",
    "Other",
  ]);
  await expect(form.getByLabel("Active")).toBeChecked();
  await form.getByLabel("Email").fill("nobody");
  await form.getByRole("button", { name: "Create Credential" }).click();
  await expect(form.getByText("Choose a service.")).toBeVisible();
  await expect(form.getByText("Please enter a valid email address.")).toBeVisible();
  await expect(form.getByText("Enter the password.")).toBeVisible();
  await expect(form.getByLabel("Service", { exact: true })).toBeHidden();
  await service.selectOption("Other");
  await form.getByRole("button", { name: "Create Credential" }).click();
  await expect(form.getByText("Enter the name of the service.")).toBeVisible();
  await form.getByLabel("Service", { exact: true }).fill("Netflix 1280");
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Password", { exact: true }).fill("kettle-and-tea");
  await expectBanner(page, "Credential created successfully!", () =>
    form.getByRole("button", { name: "Create Credential" }).click(),
  );
  const row = rowOf(page, email);
  for (const text of ["Netflix 1280", email, "kett********", "Active"]) {
    await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
  }
  await expect(row.getByRole("cell", { name: /^\d\d\/\d\d\/\d\d$/ })).toBeVisible();

  const search = page.getByRole("searchbox", { name: "Search by service name or email" });
  await search.fill("quillb");
  await expect(row).toBeHidden();
  await search.fill("SHARED-1280");
  await expect(row).toBeVisible();

  // The password is shown after the admin's own, for a minute or until it is hidden.
  await makePasswordEntriesOld();
  await pressRowAction(row, "Show Password");
  await enterPassword(page);
  const shown = row.getByText("kettle-and-tea", { exact: true });
  await expect(shown).toBeVisible();
  await page.clock.fastForward("00:55");
  await expect(shown).toBeVisible();
  await page.clock.fastForward("00:06");
  await expect(shown).toBeHidden();
  await expect(row.getByText("kett********")).toBeVisible();
  await pressRowAction(row, "Show Password");
  await expect(shown).toBeVisible();
  await expectAccessible(page, "admin credentials");
  await row.getByRole("button", { name: "Hide Password" }).click();
  await expect(shown).toBeHidden();
  const reveals = await query(
    `select 1 from audit_events join credentials on credentials.id::text = subject_id::text
         where action = 'credential.revealed' and email = $1`,
    [email],
  );
  expect(reveals).toHaveLength(2);

  await pressRowAction(row, "Edit");
  const edit = page.getByRole("dialog", { name: "Edit Credential" });
  await expect(edit.getByLabel("Email")).toHaveValue(email);
  await expect(edit.getByLabel("Password", { exact: true })).toHaveValue("");
  await expect(edit.getByLabel("Service Name")).toHaveValue("Other");
  await expect(edit.getByLabel("Service", { exact: true })).toHaveValue("Netflix 1280");
  await expectAccessible(page, "admin credentials form", "[role=dialog]");
  await edit.getByLabel("Service Name").selectOption("QuillBot");
  await expect(edit.getByLabel("Service", { exact: true })).toBeHidden();
  await edit.getByLabel("Active").uncheck();
  await expectBanner(page, "Credential updated successfully!", () =>
    edit.getByRole("button", { name: "Update Credential" }).click(),
  );
  for (const text of ["QuillBot", "kett********", "Inactive"]) {
    await expect(row.getByRole("cell", { name: text, exact: true })).toBeVisible();
  }

  await makePasswordEntriesOld();
  await pressRowAction(row, "Delete");
  const question = page.getByRole("dialog", {
    name: "Are you sure you want to delete this credential?",
  });
  await question.getByRole("button", { name: "Delete Credential" }).click();
  await expectBanner(page, "Credential deleted successfully!", () => enterPassword(page));
  await expect(shop.heading("No credentials found")).toBeVisible();
});
