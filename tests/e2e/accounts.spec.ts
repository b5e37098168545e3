import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

/** The secret in the session cookie. No script may read it. */
async function readSessionSecret(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name.includes("session_token"));
  expect(session, "there is a session cookie").toBeDefined();
  expect(session?.httpOnly).toBe(true);
  expect(session?.sameSite).toBe("Lax");
  return decodeURIComponent(session?.value ?? "").split(".")[0] ?? "";
}

test("sign-up refuses an invalid email and weak passwords, then signs in, and sign-out ends the session", async ({
  shop,
}) => {
  const email = newEmail();
  const responseBodies: Promise<string>[] = [];
  shop.page.on("response", (response) => {
    if (/json|x-script/.test(response.headers()["content-type"] ?? "")) {
      responseBodies.push(response.text().catch(() => ""));
    }
  });
  await shop.open("/");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  await shop.signIn.expectView("Welcome");
  await shop.signIn.button("Create an Account").click();
  await shop.signIn.expectView("Create account");
  const { root, button } = { root: shop.signIn.root, button: shop.signIn.button("Create Account") };
  await expect(root.getByText("Password must be at least 6 characters", { exact: true })).toBeVisible();
  await expect(root.getByText("8 or more is safer")).toBeVisible();

  await shop.signIn.fill({ email: "not an address", password: PASSWORD });
  await button.click();
  await expect(root.getByText("Please enter a valid email address.")).toBeVisible();
  await shop.signIn.fill({ email, password: "5char" });
  await button.click();
  await expect(root.getByText("Password should be at least 6 characters.")).toBeVisible();
  await expect(root.getByText("Password must be at least 6 characters", { exact: true })).toHaveCount(0);
  await shop.signIn.fill({ email, password: "123456789" });
  await button.click();
  await expect(root.getByText(/password is too common/)).toBeVisible();
  await shop.signIn.fill({ email, password: PASSWORD });
  await button.click();

  await shop.purchase.expectGone();
  await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toHaveCount(0);
  await expect(shop.accountNav.getByRole("link", { name: "Admin" })).toHaveCount(0);
  const secret = await readSessionSecret(shop.page);
  expect(secret.length).toBeGreaterThan(20);
  expect(await shop.page.evaluate(() => document.cookie)).not.toContain("session_token");

  await shop.open("/dashboard");
  await shop.page.getByRole("button", { name: "Sign Out" }).click();
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  const responseTexts = await Promise.all(responseBodies);
  expect(responseTexts.length).toBeGreaterThan(2);
  expect(responseTexts.filter((text) => text.includes(secret))).toEqual([]);
});

test("the sign-in dialog says what is wrong, and signs in, with each of its views", async ({
  shop,
  page,
  newClient,
}) => {
  const { email } = await signInAsNewUser(await newClient());
  const { signIn } = shop;
  await shop.open("/");
  await test.step("Continue with Google comes last and shows at once that this sign-in method is not enabled", async () => {
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await expect(signIn.root.getByRole("button").last()).toHaveText("Continue with Google");
    const windows: Page[] = [];
    page.on("popup", (opened) => windows.push(opened));
    await signIn.button("Continue with Google").click();
    await expect(page.getByText("Google isn’t set up in this shop yet.", { exact: false })).toBeVisible();
    const message = "This sign-in method is not enabled. Please contact support.";
    await expect(signIn.root.getByText(message)).toBeVisible();
    expect(windows).toEqual([]);
  });
  await test.step("the four views of the sign-in dialog link to each other and back", async () => {
    await signIn.button("Sign in with Email").click();
    await signIn.expectView("Sign in");
    await signIn.email.fill("kept@example.com");
    await signIn.button("Forgot password?").click();
    await signIn.expectView("Reset password");
    await expect(signIn.email).toHaveValue("kept@example.com");
    await signIn.button("Back").click();
    await signIn.expectView("Welcome");
    await expect(signIn.root.getByText(/Terms/)).toBeVisible();
    // No tool was pressed, and this shop has no Google.
    await expect(signIn.choices).toHaveText([
      "Sign in with Email",
      "Create an Account",
      "Continue with Google",
    ]);
    await signIn.button("Create an Account").click();
    await signIn.expectView("Create account");
    await signIn.button("Back").click();
    await signIn.button("Sign in with Email").click();
    await signIn.button("Sign up").click();
    await signIn.expectView("Create account");
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
  });
  await test.step("a password can be shown while it is typed and is hidden when it is sent", async () => {
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await signIn.button("Sign in with Email").click();
    const { password } = signIn;
    await signIn.fill({ email: newEmail(), password: PASSWORD });
    await expect(password).toHaveAttribute("type", "password");
    await signIn.button("Show").click();
    await expect(password).toHaveAttribute("type", "text");
    await expect(password).toHaveValue(PASSWORD);
    await signIn.button("Hide").click();
    await expect(password).toHaveAttribute("type", "password");
    await signIn.button("Show").click();
    await signIn.button("Sign In").click();
    await expect(signIn.root.getByRole("alert").first()).toBeVisible();
    await expect(password).toHaveAttribute("type", "password");
    await expect(password).toHaveValue(PASSWORD);
  });
  await test.step("sign-in shows different messages for a wrong password and an unknown email", async () => {
    const { root } = signIn;

    await signIn.fill({ email, password: "not-that-one" });
    await signIn.button("Sign In").click();
    await expect(root.getByText("Incorrect password. Please try again.")).toBeVisible();
    await signIn.fill({ email: newEmail(), password: PASSWORD });
    await signIn.button("Sign In").click();
    const unknown = "No account found with this email. Please check your email or sign up.";
    await expect(root.getByText(unknown)).toBeVisible();
    await signIn.fill({ email: email.toUpperCase(), password: PASSWORD });
    await signIn.button("Sign In").click();

    await shop.purchase.expectGone();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await shop.accountNav.getByRole("button", { name: "Logout" }).click();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expect(page).toHaveURL(/\/$/);
  });
  await test.step("an email can be used for one account only, and the message leads to the sign-in with it", async () => {
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await signIn.button("Create an Account").click();
    await signIn.fill({ email, password: PASSWORD });
    await signIn.button("Create Account").click();
    const inUse = "This email is already in use. Try signing in instead.";
    await expect(signIn.root.getByText(inUse)).toBeVisible();
    await signIn.button("Try signing in instead").click();
    await signIn.expectView("Sign in");
    await expect(signIn.email).toHaveValue(email);
    await signIn.button("Sign In").click();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await shop.accountNav.getByRole("button", { name: "Logout" }).click();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  });
  await test.step("in a shop without Google the troubleshooter says that email is the way to sign in", async () => {
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await signIn.button("Continue with Google").click();
    await signIn.button("Trouble signing in?").click();
    const dialog = page.getByRole("dialog", { name: "Trouble signing in?" });
    await dialog.getByRole("button", { name: "Test Google Sign-In" }).click();
    const result = dialog.getByRole("list", { name: "Google test" }).getByRole("listitem");
    await expect(result).toHaveAttribute("data-status", "warning");
    await expect(result).toContainText("This shop doesn’t offer sign-in with Google.");
    await dialog.getByRole("button", { name: "Run Diagnostics" }).click();
    await expect(dialog.getByText("Nothing here should stop you from signing in.")).toBeVisible();
    const policy = (await page.request.get("/admin/login")).headers()["content-security-policy"];
    expect(policy).toContain("connect-src 'self';");
  });
});

test("a visitor on a phone without scripts is told what needs them, browses, searches and signs in by email", async ({
  openOtherBrowser,
  newClient,
}) => {
  const { email } = await signInAsNewUser(await newClient());
  const { page, cards, accountNav } = await openOtherBrowser({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 780 },
    isMobile: true,
    hasTouch: true,
  });
  await page.goto("/sign-up");
  await page.getByLabel("Email").fill(newEmail());
  await page.getByLabel("Password").fill("123456789");
  await page.getByRole("button", { name: "Create Account" }).tap();
  await expect(page.getByText(/password is too common/)).toBeVisible();
  await page.goto("/");
  const notice = page.getByText(/^JavaScript is turned off\. .*Buying a pass and .* need JavaScript\.$/);
  await expect(notice).toBeInViewport({ ratio: 1 });
  await page.getByRole("searchbox", { name: "Search tools" }).fill("movies");
  await page.keyboard.press("Enter");
  await expect(cards).toHaveCount(2);
  await page.getByRole("link", { name: "VPN", exact: true }).tap();
  await expect(page).toHaveURL(/category=vpn/);
  await page.goto("/");
  await page.getByRole("link", { name: /features of ChatGPT Pro/ }).tap();
  await expect(page.getByRole("heading", { name: "ChatGPT Pro", level: 1 })).toBeVisible();
  await expect(page.getByText("₹1,199", { exact: true })).toBeVisible();
  await expect(notice).toBeVisible();
  await accountNav.getByRole("link", { name: "Sign in" }).tap();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill("not-that-one");
  await page.getByRole("button", { name: "Sign In" }).tap();
  await expect(page.getByText("Incorrect password. Please try again.")).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign In" }).tap();
  await expect(accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  expect((await page.locator("html").boundingBox())?.width).toBe(390);
});
