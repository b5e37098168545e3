import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./google-shop.ts";

test.use({
  userAgent:
    "Mozilla/5.0 (Linux; Android 13; SM-A135F; wv) AppleWebKit/537.36 Version/4.0 Chrome/131.0 Mobile Safari/537.36 Instagram 350.0.0.41 Android",
  viewport: { width: 390, height: 800 },
});

const REFUSED = "Google does not allow this inside an app. Open in your browser, or use email.";

test("the ways to sign in inside Instagram begin with email, say why Google refuses, and open the browser", async ({
  shop,
  page,
}) => {
  await shop.open("/shop/canva?from=instagram");
  await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
  const { root } = shop.signIn;
  await expect(root.getByText(REFUSED)).toBeVisible();
  const names = await root.getByRole("button").allInnerTexts();
  expect(names.filter((name) => /Google|Email|Account/.test(name))).toEqual([
    "Sign in with Email",
    "Create an Account",
    "Continue with Google",
  ]);
  await expect(root.getByRole("link", { name: "Open in your browser" })).toHaveAttribute(
    "href",
    /^intent:\/\/localhost:\d+\/shop\/canva\?from=instagram#Intent;scheme=http;.*;end$/,
  );
  await expectAccessible(page, "sign-in inside an app", '[role="dialog"]');
  await page.screenshot({ path: "build/inside-app.png" });
  await shop.signIn.button("Continue with Google").click();
  await expect(root.getByRole("alert")).toHaveText(REFUSED);
  expect(page.context().pages()).toHaveLength(1);
});
