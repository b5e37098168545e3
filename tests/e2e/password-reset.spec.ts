import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { listMails } from "./shop-database.ts";
import { PASSWORD, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true });

/** The colour of the one main action. */
const STRONG = "rgb(21, 23, 28)";

const NEW_PASSWORD = "another-monsoon-at-the-sea-4";

test("the link in the mail of a password reset sets a new password once, for the email of an account", async ({
  shop,
  newClient,
  baseURL,
}) => {
  const { email } = await signInAsNewUser(await newClient());
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.button("Sign in with Email").click();
  await shop.signIn.button("Forgot password?").click();
  await shop.signIn.email.fill("no-at-sign");
  await shop.signIn.button("Send Reset Link").click();
  await test.step("a password reset requires a valid email of an account", async () => {
    await expect(
      shop.signIn.root.getByText("Please enter a valid email address", { exact: true }),
    ).toBeVisible();
    await shop.signIn.email.fill("nobody@example.com");
    await shop.signIn.button("Send Reset Link").click();
    const unknown = "No account found with this email. Please check your email or sign up.";
    await expect(shop.signIn.root.getByText(unknown)).toBeVisible();
    // The shop of the tests has no mail server.
    await expect(shop.signIn.root.getByText(/doesn’t send email/)).toBeVisible();
    const chat = shop.signIn.root.getByRole("link", { name: "Chat on WhatsApp" });
    await expect(chat).toHaveAttribute("href", /^https:\/\/wa\.me\/.*password/);
    await expect(chat).toHaveCSS("background-color", STRONG);
    await expect(shop.signIn.button("Send Reset Link")).not.toHaveCSS("background-color", STRONG);
    await expect(shop.signIn.root.getByText(/we’ll send you/)).toHaveCount(0);
  });
  await shop.signIn.email.fill(email);
  await shop.signIn.button("Send Reset Link").click();
  // The shop of the tests has no mail server. The link waits in the outbox.
  await expect(
    shop.signIn.root.getByText("This shop can’t send email. Please contact support."),
  ).toBeVisible();
  await expect(shop.signIn.root.getByText(/email sent/)).toHaveCount(0);
  await expect(shop.signIn.root.getByText(/doesn’t send email/)).toHaveCount(0);
  await expect(shop.signIn.root.getByRole("link", { name: "Chat on WhatsApp" })).toHaveCount(1);

  const mails = await listMails(email);
  expect(mails).toHaveLength(1);
  const link = /https?:\/\/\S+/.exec(mails[0]?.text ?? "")?.[0] ?? "";
  expect(link).toContain(`${baseURL}/reset-password?token=`);
  await shop.open(link);
  await shop.page.getByLabel("New password").fill("123456789");
  await shop.page.getByRole("button", { name: "Set New Password" }).click();
  await expect(shop.page.getByText(/password is too common/)).toBeVisible();
  await expectAccessible(shop.page, "new password refused", "main");
  await shop.page.getByLabel("New password").fill(NEW_PASSWORD);
  await shop.page.getByRole("button", { name: "Set New Password" }).click();
  await expect(shop.page.getByText("Your new password is set. Please sign in with it.")).toBeVisible();

  await shop.page.getByRole("button", { name: "Sign In" }).click();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Sign In").click();
  await expect(shop.signIn.root.getByText("Incorrect password. Please try again.")).toBeVisible();
  await shop.signIn.password.fill(NEW_PASSWORD);
  await shop.signIn.button("Sign In").click();
  await shop.purchase.expectGone();
  await shop.open("/dashboard");
  await expect(shop.heading("My Tools")).toBeVisible();

  for (const spent of [link, "/reset-password"]) {
    await shop.open(spent);
    await expect(shop.page.getByText("This link has been used or has expired.")).toBeVisible();
    await expect(shop.page.getByLabel("New password")).toHaveCount(0);
  }
  await shop.page.getByRole("button", { name: "Request a new link" }).click();
  await shop.signIn.expectView("Reset password");
});
