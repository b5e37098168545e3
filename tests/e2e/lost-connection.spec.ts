import { expect } from "@playwright/test";
import { expectOnlyLostRequests, test } from "./fixtures.ts";
import { signInAsNewUser } from "./test-users.ts";

const LOST = "Network error. Please check your internet connection.";

for (const who of ["a visitor", "a user"] as const) {
  test(`${who} who loses the connection keeps the page, and Try again continues`, async ({
    shop,
    page,
    browserErrors,
  }) => {
    if (who === "a user") await signInAsNewUser(page);
    // Otherwise the code of the dialog may be there before the connection is lost.
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
    );
    await shop.open("/");
    const card = page.getByRole("button", { name: "Get access to Canva", exact: true });
    const lost = page.getByRole("dialog", { name: LOST });
    await page.context().setOffline(true);
    await card.click();
    await expect(lost).toBeVisible();
    await lost.getByRole("button", { name: "Close" }).click();
    await expect(lost).toHaveCount(0);
    await expect(card).toBeFocused();

    await card.click();
    await expect(lost).toBeVisible();
    await page.context().setOffline(false);
    await lost.getByRole("button", { name: "Try again" }).click();
    await expect(lost).toHaveCount(0);
    if (who === "a user") await expect(shop.purchase.pay("₹49")).toBeVisible();
    else await shop.signIn.expectAccount();
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
    await expect(shop.cards).toHaveCount(12);
    expectOnlyLostRequests(browserErrors);
  });
}
