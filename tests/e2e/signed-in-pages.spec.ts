import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { buyPass, newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

test("each buyer sees only their own address, name and pass, and a name with markup is shown as text", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const asha = await signInAsNewUser(page);
  const other = await openOtherBrowser();
  const ravi = await signInAsNewUser(other.page);
  const name = `</script><script>document.title="changed"</script>"\\" & ₹ $&`;
  await query("update users set display_name = $2 where email = $1", [asha.email, name]);

  for (const [screen, own, others] of [
    [shop, asha, ravi],
    [other, ravi, asha],
  ] as const) {
    await screen.open("/");
    await screen.openPurchase("Canva");
    await expect(screen.purchase.root.getByText(`For ${own.email}`)).toBeVisible();
    const answer = await screen.page.request.get("/");
    expect(await answer.text()).toContain(own.email);
    expect(await answer.text()).not.toContain(others.email);
    await screen.page.keyboard.press("Escape");
  }
  await expect(page).toHaveTitle(/^Daypass/);
  await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
  await expect(page.getByRole("banner").getByText(name)).toBeVisible();

  await buyPass(page, "canva", "7 Days");
  await shop.open("/");
  await expect(shop.card("Canva").getByRole("button", { name: /^Open Canva until/ })).toBeVisible();
  await other.reload();
  await expect(other.card("Canva").getByRole("button", { name: "Get access to Canva" })).toBeVisible();
});

test("the pages of a buyer end with the links of the shop, and are gone when the session is", async ({
  shop,
  page,
  context,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await test.step("the dashboard, the account and the tool pages end with the links of the shop, and lead to support", async () => {
    for (const path of ["/dashboard", "/account", "/tools/canva", "/tools/quillbot"]) {
      await shop.open(path);
      const footer = page.getByRole("contentinfo");
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await expect(footer.getByRole("link", { name: "Terms" }), path).toBeVisible();
        await expect(footer.getByRole("link", { name: "Contact" }), path).toBeVisible();
        await expect(page.getByRole("switch"), path).toHaveCount(1);
      }
      if (path === "/account") continue;
      const help = page.getByRole("link", { name: "Need help? Chat on WhatsApp" });
      await expect(help, path).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+\?text=Hello/);
    }
  });
  await test.step("the back button shows no signed-in page after the browser has lost its session, and the reverse", async () => {
    const cookies = await context.cookies();
    await shop.open("/shop/canva");
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await page.goto("about:blank");
    await context.clearCookies();
    await page.goBack();
    await expect(page.getByRole("button", { name: "Get Started" }).first()).toBeVisible();
    expect(await page.content()).not.toContain(email);

    await page.goto("about:blank");
    await context.addCookies(cookies);
    await page.goBack();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  });
});

test("a visitor who opens a page that needs an account is told so on the home page, and continues there after signing in", async ({
  shop,
  page,
}) => {
  const notice = page.getByText(/^Please sign in to /);
  const signIn = page.getByRole("main").getByRole("button", { name: "Sign in", exact: true });
  const createAccount = async () => {
    await shop.signIn.button("Create an Account").click();
    await shop.signIn.fill({ email: newEmail(), password: PASSWORD });
    await shop.signIn.button("Create Account").click();
  };
  await test.step("the notice is shown once", async () => {
    await shop.open("/dashboard");
    await expect(page).toHaveURL(/\/$/);
    await expect(notice).toHaveText("Please sign in to see your passes.");
    await expectAccessible(page, "the notice of a page that needs an account", "main");
    await shop.reload();
    await expect(shop.cards).toHaveCount(12);
    await expect(notice).toHaveCount(0);
  });
  await test.step("the sign-in of the header opens the page too", async () => {
    await shop.open("/account");
    await signIn.click();
    await shop.signIn.expectView("Welcome");
    await page.keyboard.press("Escape");
    await expect(notice).toHaveText("Please sign in to open that page.");
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await createAccount();
    await expect(page).toHaveURL(/\/account$/);
    await page.getByRole("button", { name: "Sign Out" }).click();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expect(notice).toHaveCount(0);
  });
  await test.step("a visitor who signs in to buy something stays with it", async () => {
    await shop.open("/account");
    await shop.choose("Canva");
    await shop.signIn.createAccount({ email: newEmail(), password: PASSWORD });
    await expect(shop.purchase.pay("₹49")).toBeVisible();
    await expect(page).toHaveURL(/\/$/);
    await page.context().clearCookies();
  });
  await test.step("the sign-in of the notice opens the page", async () => {
    await shop.open("/tools/canva");
    await expect(notice).toHaveText("Please sign in to open Canva.");
    await signIn.click();
    await createAccount();
    await expect(page).toHaveURL(/\/tools\/canva$/);
  });
  await test.step("a sign-in that reloads the page opens it too, and one after the dialog was closed does not", async () => {
    await page.context().clearCookies();
    await shop.open("/tools/canva");
    await signIn.click();
    await shop.signIn.expectView("Welcome");
    await signInAsNewUser(page);
    await page.reload();
    await expect(page).toHaveURL(/\/tools\/canva$/);

    await page.context().clearCookies();
    await shop.open("/tools/canva");
    await signIn.click();
    await shop.signIn.expectView("Welcome");
    await page.keyboard.press("Escape");
    await expect(shop.signIn.root).toHaveCount(0);
    await signInAsNewUser(page);
    await page.reload();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await expect(page).toHaveURL(/\/$/);
  });
});
