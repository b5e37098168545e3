import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { listMails, setCodeActive } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true });

test("a code that does not work is reported once, other buyers and the owner hear of it, the owner says that it works, and a changed code says so on the open page", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const others = await openOtherBrowser();
  await signInAsNewUser(others.page);
  await buyPass(others.page, "premium-netflix-access", "7 Days");
  await others.open("/tools/premium-netflix-access");
  await expect(others.server("Server 1").getByText("Ready", { exact: true })).toBeVisible();
  await signInAsNewUser(page);
  await buyPass(page, "premium-netflix-access", "7 Days");
  await shop.open("/tools/premium-netflix-access");
  const row = shop.server("Server 1");
  const offer = row.getByRole("button", { name: "This code does not work" });
  await expect(page.getByRole("button", { name: "This code does not work" })).toHaveCount(0);
  await row.getByRole("button", { name: "Show code" }).click();
  await expect(row.getByLabel("The code for Server 1")).toBeVisible();
  await expect(page.getByRole("button", { name: "This code does not work" })).toHaveCount(1);
  // A phone reloads the page while the buyer is in another app.
  await shop.reload();
  await expect(offer).toBeVisible();
  await row.getByRole("button", { name: "Show code" }).click();
  await expect(row.getByLabel("The code for Server 1")).toBeVisible();

  const question = row.getByRole("group", { name: "Report this code? The owner will be told." });
  await offer.focus();
  await page.keyboard.press("Enter");
  await expect(question).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question).toHaveCount(0);
  await expect(offer).toBeFocused();
  await offer.click();
  await expectAccessible(page, "the question before a report", "main");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/report")) sent.push(request.url());
  });
  await question.getByRole("button", { name: "Report" }).evaluate((button) => {
    for (const _ of [1, 2]) button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
  const reported = row.getByText("Reported. Use Server 2 for now.", { exact: true });
  await expect(reported).toBeVisible();
  await expect(page.locator(":focus")).toHaveText("Reported. Use Server 2 for now.");
  await expect(row.getByText("Reported", { exact: true })).toBeVisible();
  await expect(row.getByText("Ready", { exact: true })).toHaveCount(0);
  await expect(row.getByRole("link", { name: "Need help? Chat on WhatsApp" })).toBeVisible();
  await expectAccessible(page, "a reported code", "main");
  await expect(offer).toHaveCount(0);
  expect(sent).toHaveLength(1);

  await expect(others.server("Server 1").getByText("Reported by 1, being checked")).toBeVisible();
  await expect(others.server("Server 2").getByText("Ready", { exact: true })).toBeVisible();
  await expectAccessible(others.page, "a code that another buyer reported", "main");

  const admin = await openOtherBrowser();
  await openAsAdmin(admin, "/admin/overview");
  const concern = admin.page.getByRole("listitem").filter({ hasText: "Premium Netflix Access · Server 1" });
  await expect(concern.getByText("1 report")).toBeVisible();
  expect((await listMails(ADMIN_EMAIL)).map(({ subject }) => subject)).toContainEqual(
    expect.stringMatching(/^Reported: the code for Server 1 of Premium Netflix Access$/),
  );
  await admin.page.getByRole("tab", { name: /^Access Codes/ }).click();
  await admin.page.getByPlaceholder("Search by tool, server or whole code").fill("Netflix");
  const entry = admin.page
    .getByRole("row")
    .filter({ hasText: "Premium Netflix Access" })
    .filter({ hasText: "Server 1" });
  await expect(entry.getByText("1 report that this code does not work")).toBeVisible();
  // The owner tries the code, and it works.
  const works = entry.getByRole("button", { name: /^It works/ });
  // The search begins after a pause, and a list that is loading is pale. The rows are in place when the rows of other tools are
  // gone.
  await expect(admin.page.getByRole("row").filter({ hasText: "Canva" })).toHaveCount(0);
  await expectAccessible(admin.page, "the list with a reported code", "main");
  await works.focus();
  await admin.page.keyboard.press("Enter");
  await expect(admin.page.getByText("1 report dismissed. Buyers are no longer warned.")).toBeVisible();
  await expect(entry.getByText("report that this code does not work")).toHaveCount(0);
  await expect(works).toHaveCount(0);
  await expect(entry.getByRole("button", { name: /^Edit/ })).toBeFocused();
  await expect(others.server("Server 1").getByText("Ready", { exact: true })).toBeVisible();
  await expect(row.getByText("Ready", { exact: true })).toBeVisible();
  await offer.click();
  await question.getByRole("button", { name: "Report" }).click();
  await expect(reported).toBeVisible();
  await expect(entry.getByText("1 report that this code does not work")).toBeVisible();

  await entry.getByRole("button", { name: /^Edit/ }).click();
  const form = admin.page.getByRole("dialog", { name: "Edit Access Code" });
  await form.getByLabel("Simple Code").fill("NFLX-CHANGED");
  await form.getByRole("button", { name: "Update Access Code" }).click();

  await expect(
    row.getByText("The code for Server 1 has changed. Press Show code for the new one."),
  ).toBeVisible();
  await expect(row.getByLabel("The code for Server 1")).toHaveCount(0);
  await expect(offer).toHaveCount(0);
  await row.getByRole("button", { name: "Show code" }).click();
  await expect(row.getByLabel("The code for Server 1")).toHaveValue("NFLX-CHANGED");
  await expect(others.server("Server 1").getByText("Ready", { exact: true })).toBeVisible();
  await expect(row.getByText("Ready", { exact: true })).toBeVisible();
  await expect(offer).toBeVisible();

  await setCodeActive("premium-netflix-access", "Server 1", false);
  try {
    await shop.reload();
    await expect(row.getByText("The code for Server 1 is no longer in use.", { exact: false })).toBeVisible();
    await expect(offer).toHaveCount(0);
  } finally {
    await setCodeActive("premium-netflix-access", "Server 1", true);
  }
});
