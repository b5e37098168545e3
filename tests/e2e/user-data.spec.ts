import { expect } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const PATH = "/test-user-data";
const idRows = z.tuple([z.object({ id: z.string() })]);
const totalRows = z.tuple([z.object({ total: z.number() })]);

test("a visitor signs in on the page of user data and sees their own profile, and no list of users, as long as the account exists", async ({
  shop,
  page,
}) => {
  const response = await page.goto(PATH);
  expect(response?.headers()).toMatchObject({
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
  });
  await shop.waitForHydration();
  await expect(page.getByText("Please sign in to view user data.", { exact: true })).toBeVisible();
  await expectAccessible(page, "user data signed out");

  const email = newEmail();
  await page.getByRole("main").getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.button("Create an Account").click();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Create Account").click();
  const profile = page.getByRole("region", { name: "Your profile" });
  await expect(profile.getByText(email, { exact: true })).toBeVisible();
  const [{ id }] = idRows.parse(await query("select id from users where email = $1", [email]));
  for (const text of [id, "Not set", "Email", "Active", "Regular User"]) {
    await expect(profile.getByText(text, { exact: true }).first()).toBeVisible();
  }
  await expect(page.getByRole("button", { name: "Load All Users" })).toHaveCount(0);
  await shop.open(`${PATH}?users=1`);
  await expect(profile.getByText(email, { exact: true })).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
  await expectAccessible(page, "user data");

  await test.step("a session whose account was removed shows that no profile was found, until the person signs out", async () => {
    await query("update users set deleted_at = now() where email = $1", [email]);
    await shop.reload();
    const missing = "No profile data found. This might indicate an issue with data storage.";
    await expect(page.getByText(missing, { exact: true })).toBeVisible();
    await expectAccessible(page, "user data missing", "main");
    await page.getByRole("main").getByRole("button", { name: "Sign Out" }).click();
    await expect(page).toHaveURL(/\/$/);
    await page.goto(PATH);
    await expect(page.getByText("Please sign in to view user data.", { exact: true })).toBeVisible();
  });
});

test("an admin loads all users with their number, and searches them", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser((await openOtherBrowser()).page);
  await openAsAdmin(shop, PATH);
  const profile = page.getByRole("region", { name: "Your profile" });
  await expect(profile.getByText("Admin", { exact: true }).first()).toBeVisible();
  await page.getByRole("button", { name: "Load All Users" }).click();
  const list = page.getByRole("region", { name: "All users" });
  await expect(list.getByRole("table", { name: "All users" })).toBeVisible();
  const counted = await query("select count(*)::int as total from users where deleted_at is null", []);
  const [{ total }] = totalRows.parse(counted);
  await expect(list.getByText(`Total: ${total}`, { exact: true })).toBeVisible();
  const row = list.getByRole("row").filter({ hasText: email });
  await expect(row).toContainText("Email");
  await expect(row).toContainText(/\d\d\/\d\d\/\d\d/);
  await expectAccessible(page, "user data of an admin");

  await list.getByRole("searchbox", { name: "Search users by email or name" }).fill(email);
  await expect(list.getByText("Found: 1", { exact: true })).toBeVisible();
  await expect(row).toBeVisible();
});
