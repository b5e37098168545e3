import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { newPerson, test } from "./google-shop.ts";
import { listMails, query } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { PASSWORD, post, signInAsNewUser } from "./test-users.ts";

const CANCELLED = "Sign-in cancelled. Please try again.";

/** Presses a tool as a visitor. @returns the window of the provider */
async function openPopup(shop: ShopPage): Promise<Page> {
  const opened = shop.page.waitForEvent("popup");
  await shop.signIn.button("Continue with Google").click();
  return opened;
}

/**
 * Opens a page in a browser that opens no windows, chooses a tool as a visitor and goes to Google in the page itself.
 *
 * @param prepare is done before the tool is chosen
 */
async function goToGoogleWithoutPopup(
  shop: ShopPage,
  { path, tool, prepare }: { path: string; tool: string; prepare?: () => Promise<void> },
): Promise<void> {
  await shop.page.addInitScript(() => {
    window.open = () => null;
  });
  await shop.open(path);
  await prepare?.();
  await shop.choose(tool);
  await shop.signIn.button("Continue with Google").click();
}

test("a window of Google that is closed or refused is a cancelled sign-in, and the next one signs in and goes on", async ({
  shop,
  page,
  googleShop,
}) => {
  const email = newPerson(googleShop.google);
  await shop.open("/");
  await shop.choose("QuillBot");
  await shop.purchase.option("30 Days").check();
  await test.step("a window that is closed, or whose sign-in is refused at Google, is a cancelled sign-in", async () => {
    const closed = await openPopup(shop);
    // Chromium may not close a window before its first page is there.
    await expect(closed.getByRole("link", { name: "Cancel" })).toBeVisible();
    await closed.close();
    await expect(shop.signIn.root.getByText(CANCELLED)).toBeVisible();
    const refused = await openPopup(shop);
    await expect(shop.signIn.root.getByText(CANCELLED)).toHaveCount(0);
    await refused.getByRole("link", { name: "Cancel" }).click();
    await expect(shop.signIn.root.getByText(CANCELLED)).toBeVisible();
  });
  await test.step("a window of Google signs in, closes, and the page goes on with the tool that was pressed", async () => {
    const popup = await openPopup(shop);
    await expect(shop.signIn.root.getByText("Complete your sign-in in the Google window.")).toBeVisible();
    await expectAccessible(page, "sign-in waiting for google", '[role="dialog"]');
    const closed = popup.waitForEvent("close");
    await popup.getByRole("link", { name: email }).click();
    await closed;
    await expect(shop.purchase.root.getByRole("heading", { name: "QuillBot" })).toBeVisible();
    await expect(shop.purchase.option("30 Days")).toBeChecked();
    await expect(shop.purchase.pay("₹99")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await shop.open("/dashboard");
    await expect(page.getByText("Asha Rao")).toBeVisible();
  });
  await test.step("an account that signs in with Google only is offered a link to set a password", async () => {
    await shop.open("/account");
    await expect(page.getByText("You sign in with Google. Your account has no password.")).toBeVisible();
    await expect(page.getByLabel("Current password")).toHaveCount(0);
    await page.getByRole("button", { name: "Send a Link to Set a Password" }).click();
    await expect(page.getByText("This shop can’t send email. Please contact support.")).toBeVisible();
    await expectAccessible(page, "account with google");
    expect((await listMails(email)).map(({ subject }) => subject)).toEqual(["Set a new password"]);
  });
});

test("Google leads back to where it was left: the closed dialog, the search, or the chosen duration", async ({
  shop,
  page,
  googleShop,
}) => {
  let email = newPerson(googleShop.google);
  /** Another visitor in the same browser, whom Google does not know either. */
  const becomeAnother = async () => {
    await page.context().clearCookies();
    email = newPerson(googleShop.google);
  };
  await test.step("a sign-in whose dialog is closed meanwhile counts all the same", async () => {
    await shop.open("/");
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    // The dialog is closed meanwhile: the sign-in counts all the same.
    const popup = await openPopup(shop);
    await shop.signIn.button("Close").click();
    await shop.purchase.expectGone();
    await popup.getByRole("link", { name: email }).click();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  });
  await becomeAnother();
  await test.step("when the browser blocks the window, the page itself goes to Google and comes back to where it was", async () => {
    await goToGoogleWithoutPopup(shop, { path: "/?q=quill", tool: "QuillBot" });
    await page.getByRole("link", { name: "Cancel" }).click();
    await expect(shop.signIn.root.getByText(CANCELLED)).toBeVisible();
    await expect(page).toHaveURL(/\/\?q=quill$/);

    await shop.signIn.button("Continue with Google").click();
    await page.getByRole("link", { name: email }).click();
    await expect(shop.purchase.root.getByRole("heading", { name: "QuillBot" })).toBeVisible();
    await expect(page).toHaveURL(/\/\?q=quill$/);
  });
  await becomeAnother();
  await test.step("when the page itself goes to Google from a shop page, the purchase goes on with the duration that was chosen", async () => {
    const prepare = () => page.getByRole("radio", { name: "90 Days" }).check();
    await goToGoogleWithoutPopup(shop, { path: "/shop/chatgpt", tool: "ChatGPT Pro", prepare });
    await page.getByRole("link", { name: email }).click();
    await expect(shop.purchase.option("90 Days")).toBeChecked();
    await expect(shop.purchase.pay("₹1,199")).toBeVisible();
    await expect(page).toHaveURL(/\/shop\/chatgpt$/);
  });
  await becomeAnother();
  await test.step("the coupon of a link is applied after the page itself has gone to Google", async () => {
    const path = "/shop/chatgpt?coupon=welcome20";
    const prepare = () => expect(page.getByText("WELCOME20").first()).toBeVisible();
    await goToGoogleWithoutPopup(shop, { path, tool: "ChatGPT Pro", prepare });
    await page.getByRole("link", { name: email }).click();
    await expect(shop.purchase.pay("₹119.20")).toBeVisible();
  });
});

test("an account connects Google on its page, and a verified one asks for the password before that", async ({
  shop,
  page,
  googleShop,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser(page);
  googleShop.google.state.people = [{ sub: email, email, email_verified: true, name: "Asha Rao" }];
  await query("update users set email_verified = true where email = $1", [email]);
  await shop.open("/dashboard");
  await page.getByRole("button", { name: "Sign Out" }).click();
  await shop.waitForHydration();
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await (await openPopup(shop)).getByRole("link", { name: email }).click();
  await expect(shop.signIn.root.getByText(/Please sign in with your password first/)).toBeVisible();

  // In the first browser the provider knows the person by now, and does not ask again.
  const second = await openOtherBrowser();
  await second.open("/");
  await post(second.page, "/api/auth/sign-in/email", { email, password: PASSWORD });
  await second.open("/account");
  const connect = second.page.getByRole("link", { name: "Connect Google" });
  await connect.click();
  await second.page.getByRole("link", { name: "Cancel" }).click();
  await expect(second.page.getByText(CANCELLED)).toBeVisible();
  await expect(second.page.getByRole("dialog")).toHaveCount(0);
  await connect.click();
  await second.page.getByRole("link", { name: email }).click();
  await expect(second.page.getByText("You can also sign in with Google.")).toBeVisible();
  const browsers = second.page.getByRole("list", { name: "Browsers" }).getByRole("listitem");
  await expect(browsers).toHaveCount(1);
  expect((await listMails(email)).map(({ subject }) => subject)).toContain("You can now sign in with Google");
});
