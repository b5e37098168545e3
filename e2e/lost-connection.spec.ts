import { expect } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser } from "./people.ts";

const LOST = "Network error. Please check your internet connection.";

for (const who of ["a visitor", "a user"] as const) {
  test(`${who} who loses the connection keeps the page, and trying again goes on`, async ({
    shop,
    page,
    faults,
  }) => {
    if (who === "a user") await becomeUser(page);
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
    await page.context().setOffline(false);
    await lost.getByRole("button", { name: "Try again" }).click();
    await expect(lost).toHaveCount(0);
    if (who === "a user") await expect(shop.purchase.pay("₹49")).toBeVisible();
    else await shop.signIn.expectView("Welcome");
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
    await expect(shop.cards).toHaveCount(12);
    // The browser tells of every request that the missing connection cost; nothing else went wrong.
    expect(faults.filter((fault) => !fault.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
    faults.length = 0;
  });
}
