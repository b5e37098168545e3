import { readFileSync } from "node:fs";
import { expect, type Locator } from "@playwright/test";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { buyPass, newEmail, PASSWORD, post, signInAsNewUser } from "./test-users.ts";

test("a buyer downloads the own data, deletes the account, cannot sign in any more, and signs up again with nothing of it", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  const phone = await openOtherBrowser();
  expect((await post(phone.page, "/api/auth/sign-in/email", { email, password: PASSWORD })).ok()).toBe(true);
  await phone.open("/dashboard");
  await expect(phone.pass("Canva")).toBeVisible();
  await shop.open("/account");
  const data = page.getByRole("region", { name: "Your data" });

  await test.step("the download asks for the password and is one file", async () => {
    await data.getByLabel("Your password").fill("wrong-password-1");
    await data.getByRole("button", { name: "Download My Data" }).click();
    await expect(data.getByText("Incorrect password. Please try again.")).toBeVisible();
    await expect(data.getByLabel("Your password")).toBeFocused();
    await expectAccessible(page, "account with a refused download", "main");
    await data.getByLabel("Your password").fill(PASSWORD);
    const waiting = page.waitForEvent("download");
    await data.getByRole("button", { name: "Download My Data" }).click();
    const file = await waiting;
    expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
    const text = readFileSync(await file.path(), "utf8");
    expect(JSON.parse(text)).toMatchObject({
      profile: { email },
      purchases: [{ tool: "Canva", amount: { rupees: "₹49" }, payments: [{ state: "captured" }] }],
    });
    await expect(data.getByText("Your data has been downloaded.")).toBeVisible();
    await expect(data.getByLabel("Your password")).toHaveValue("");
  });

  await test.step("the deletion says what ends, and needs the password and the typed word", async () => {
    const remove = page.getByRole("button", { name: "Delete My Account" });
    const colour = (control: Locator) => control.evaluate((element) => getComputedStyle(element).color);
    expect(await colour(remove)).not.toBe(await colour(page.getByRole("button", { name: "Save Name" })));
    await remove.click();
    const dialog = page.getByRole("dialog", { name: "Delete your account?" });
    await expect(dialog.getByText("Your pass ends now, without a refund.")).toBeVisible();
    await expect(dialog.getByText(/It would have worked until/)).toBeVisible();
    await expectAccessible(page, "deletion of an account", "[role=dialog]");
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(/\/account$/);
    await page.getByRole("button", { name: "Delete My Account" }).click();
    await dialog.getByLabel("Your password").fill("wrong-password-1");
    await dialog.getByLabel("Type DELETE to confirm").fill("delete");
    await dialog.getByRole("button", { name: "Delete Account" }).click();
    await expect(dialog.getByText("Incorrect password. Please try again.")).toBeVisible();
    await takeScreenshot(page, "deletion refused");
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByLabel("Type DELETE to confirm").fill("yes");
    await dialog.getByRole("button", { name: "Delete Account" }).click();
    await expect(dialog.getByText("Please type DELETE.")).toBeVisible();
    await dialog.getByLabel("Type DELETE to confirm").fill("delete");
    await dialog.getByRole("button", { name: "Delete Account" }).dblclick();
  });

  await expect(shop.heading("Account deleted")).toBeVisible();
  await expect(page.getByText("Your account has been deleted.")).toBeVisible();
  await expectAccessible(page, "deleted account");
  await expect(phone.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  await expect(phone.page.getByText("Your account has been deleted.")).toBeVisible();
  expect((await post(page, "/api/auth/sign-in/email", { email, password: PASSWORD })).status()).toBe(401);
  await page.goBack();
  await expect(page.getByText(email)).toHaveCount(0);

  expect((await post(page, "/api/auth/sign-up/email", { email, password: PASSWORD })).ok()).toBe(true);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await shop.open("/account");
  await expect(shop.heading("No orders yet")).toBeVisible();
});

test("an account is deleted without scripts, and no link shows the last page to somebody else", async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  const page = await context.newPage();
  await page.goto("/account/deleted");
  await expect(page).toHaveURL(/\/$/);
  await post(page, "/api/auth/sign-up/email", { email: newEmail(), password: PASSWORD });
  await page.goto("/account");
  await page.getByLabel("Your password").first().fill("wrong-password-1");
  await page.getByRole("button", { name: "Download My Data" }).click();
  await expect(page.getByText("Incorrect password. Please try again.")).toBeVisible();
  await page.getByRole("link", { name: "Delete My Account" }).click();
  const deletion = page.getByRole("region", { name: "Delete account" });
  await deletion.getByLabel("Your password").fill("wrong-password-1");
  await deletion.getByLabel("Type DELETE to confirm").fill("DELETE");
  await deletion.getByRole("button", { name: "Delete Account" }).click();
  await expect(deletion.getByText("Incorrect password. Please try again.")).toBeVisible();
  await deletion.getByLabel("Your password").fill(PASSWORD);
  await deletion.getByLabel("Type DELETE to confirm").fill("DELETE");
  await deletion.getByRole("button", { name: "Delete Account" }).click();
  await expect(page.getByText("Your account has been deleted.")).toBeVisible();
  await context.close();
});

test("forms of another site neither delete an account nor download its data", async ({ page, baseURL }) => {
  await signInAsNewUser(page);
  for (const [path, form] of [
    [
      "/account",
      { intent: "delete", password: PASSWORD, confirmation: "DELETE", passes: "0", checkouts: "0" },
    ],
    ["/account/data", { password: PASSWORD }],
  ] as const) {
    const response = await page.request.post(path, {
      form,
      headers: { origin: "https://evil.example", referer: "https://evil.example/" },
    });
    expect(response.status(), path).toBe(403);
  }
  const session = await page.request.get(`${baseURL}/api/auth/get-session`);
  expect(await session.json()).not.toBeNull();
});

test("an account without a password asks for another sign-in with Google, and then only for the typed word", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await query(
    `update auth_accounts set provider_id = 'google', issuer = 'https://accounts.google.com', password = null
     where user_id = (select id from users where email = $1)`,
    [email],
  );
  const startSession = (interval: string) =>
    query(
      `update sessions set created_at = now() - $2::interval where user_id = (select id from users where email = $1)`,
      [email, interval],
    );
  await startSession("16 minutes");
  await shop.open("/account?delete");
  const data = page.getByRole("region", { name: "Your data" });
  const deletion = page.getByRole("region", { name: "Delete account" });
  for (const section of [data, deletion]) {
    const link = section.getByRole("link", { name: "Sign In with Google Again" });
    await expect(link).toHaveAttribute("href", /^\/api\/auth\/google\/start\?/);
  }
  await expect(page.getByRole("button", { name: "Download My Data" })).toHaveCount(0);
  await expectAccessible(page, "account without a password", "main");
  await startSession("1 minute");
  await shop.reload();
  const waiting = page.waitForEvent("download");
  await data.getByRole("button", { name: "Download My Data" }).click();
  await waiting;
  await deletion.getByLabel("Type DELETE to confirm").fill("DELETE");
  await deletion.getByRole("button", { name: "Delete Account" }).click();
  await expect(page.getByText("Your account has been deleted.")).toBeVisible();
});
