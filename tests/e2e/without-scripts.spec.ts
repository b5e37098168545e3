import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { listMails } from "./shop-database.ts";
import { buyPass, newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const PHONE_WITHOUT_SCRIPTS = { javaScriptEnabled: false, viewport: { width: 390, height: 844 } };
const NEW_PASSWORD = "another-monsoon-at-the-sea-5";

/** Such a button submits no form, so without scripts nothing happens when it is pressed. */
const idleButtons = (page: Page) => page.locator('button:not([type="submit"]):visible:not(:disabled)');

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
}

test("pages without scripts are readable, show no button that does nothing, and links lead where buttons would", async ({
  openOtherBrowser,
  newClient,
}) => {
  const buyer = await newClient();
  const { email } = await signInAsNewUser(buyer);
  await buyPass(buyer, "canva", "7 Days");
  const { page, cards } = await openOtherBrowser(PHONE_WITHOUT_SCRIPTS);
  const saysWhatNeedsScripts = ["/", "/shop/canva", "/sign-in", "/reset-password?token=none"];
  const publicPages = ["/", "/shop/canva", "/shop/chatgpt", "/shop/grammar-checker", "/giveaway", "/terms"];
  await test.step("the catalogue is readable", async () => {
    await page.goto("/");
    await expect(cards).toHaveCount(12);
    await expect(cards.last().getByText("₹399", { exact: true })).toBeVisible();
    await expect(page.getByText("Test payments", { exact: true })).toBeVisible();
  });
  await test.step("the pages of a visitor show no button that does nothing, and say what needs scripts", async () => {
    for (const path of [
      ...publicPages,
      "/sign-in",
      "/sign-up",
      "/forgot-password",
      "/reset-password?token=none",
    ]) {
      await page.goto(path);
      await expect(page.getByRole("main"), path).toBeVisible();
      await expect(idleButtons(page), path).toHaveCount(0);
      if (!saysWhatNeedsScripts.includes(path)) continue;
      await expect(
        page.getByText(/Buying a pass and showing access codes need JavaScript\.$/),
        path,
      ).toBeVisible();
    }
  });
  await test.step("the prices of a tool are not offered as a choice", async () => {
    const heading = page.getByRole("main").getByRole("heading", { level: 3 }).first();
    await page.goto("/shop/chatgpt");
    await expect(heading).toHaveAccessibleName("Prices");
    await expect(page.getByText("Choose a duration")).toBeHidden();
    await expect(page.getByRole("main").getByRole("radio")).toHaveCount(0);
  });
  await test.step("links lead where the hidden buttons would", async () => {
    await page.goto("/");
    // The whole card is the link.
    await page.locator("#tools [data-ticket]", { hasText: "ChatGPT Pro" }).click();
    await expect(
      page.getByText("Buying a pass needs JavaScript. Turn it on, then reload this page.", { exact: true }),
    ).toBeVisible();
    await page.goto("/shop/stealth-writer");
    await expect(page.getByRole("link", { name: "Contact via WhatsApp" })).toHaveAttribute("href", /wa\.me/);
    await page.goto("/shop/grammar-checker");
    await page.getByRole("link", { name: /^Sign in to open / }).click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await signIn(page, email, PASSWORD);
    await expect(page.getByRole("link", { name: "Dashboard" })).toBeVisible();
    for (const tool of ["canva", "grammar-checker"]) {
      await page.goto(`/shop/${tool}`);
      await page.getByRole("link", { name: "Open", exact: true }).click();
      await expect(page).toHaveURL(new RegExp(`/tools/${tool}$`));
    }
  });
  await test.step("the pages of a user show no button that does nothing", async () => {
    for (const path of [...publicPages, "/dashboard", "/account", "/tools/canva", "/test-user-data"]) {
      await page.goto(path);
      await expect(page.getByRole("main"), path).toBeVisible();
      await expect(idleButtons(page), path).toHaveCount(0);
    }
  });
});

test("a forgotten password is replaced by the link in the mail without scripts", async ({
  openOtherBrowser,
  newClient,
}) => {
  const { email } = await signInAsNewUser(await newClient());
  const { page } = await openOtherBrowser(PHONE_WITHOUT_SCRIPTS);
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  const unknown = newEmail();
  await page.getByLabel("Email").fill(unknown);
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(
    page.getByText("No account found with this email. Please check your email or sign up."),
  ).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue(unknown);
  // A screen reader begins there and reads the message with the field.
  await expect(page.getByLabel("Email")).toBeFocused();
  await expect(page.getByLabel("Email")).toHaveAccessibleDescription(/^No account found/);
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(page.getByText("This shop can’t send email. Please contact support.")).toBeVisible();

  const mails = await listMails(email);
  await page.goto(/https?:\/\/\S+/.exec(mails[0]?.text ?? "")?.[0] ?? "");
  await page.getByLabel("New password").fill("123456789");
  await page.getByRole("button", { name: "Set New Password" }).click();
  await expect(page.getByText(/password is too common/)).toBeVisible();
  await page.getByLabel("New password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Set New Password" }).click();
  await expect(page.getByText("Your new password is set. Please sign in with it.")).toBeVisible();
  await page.getByRole("link", { name: "Sign In" }).click();
  await signIn(page, email, NEW_PASSWORD);
  await expect(page.getByRole("link", { name: "Dashboard" })).toBeVisible();
});
