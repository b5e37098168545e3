import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";

/** The price on a card, in rupees: the first amount, before the struck-through one. 0 on the card of a free tool. */
function readPrice(text: string): number {
  const [, price = "0"] = /₹([\d,.]+)/.exec(text) ?? [];
  return Number(price.replaceAll(",", ""));
}

test("a visitor sees the catalogue, its cards and the search, and a card opens the sign-in dialog", async ({
  shop,
  page,
}) => {
  // Otherwise the code of the dialog is loaded ahead.
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
  );
  await shop.open("/");
  await test.step("a press shows at once what the page knows of the tool, until the code of the dialog has loaded", async () => {
    const release = await holdRequests(page, "**/assets/*.js");
    const button = page.getByRole("button", { name: "Get access to Canva", exact: true });
    await button.click();
    const shell = page.getByRole("dialog", { name: "Canva", exact: true });
    await expect(shell.getByText("₹49", { exact: true })).toBeVisible();
    await expect(shell.getByText("Checking access")).toBeAttached();
    await expectAccessible(page, "purchase dialog before its code has loaded", "dialog");
    await page.keyboard.press("Escape");
    await expect(shell).toHaveCount(0);
    await expect(button).toBeFocused();
    await button.click();
    await expect(shell).toBeVisible();
    await page.goBack();
    await expect(shell).toHaveCount(0);
    await expect(page).toHaveURL("/");
    await button.click();
    await expect(shell).toBeVisible();
    release();
    await shop.signIn.expectAccount();
    await expect(page.locator("[data-awaits]")).toHaveCount(0);
    await shop.signIn.button("Close").click();
    await shop.purchase.expectGone();
    await page.unrouteAll();
  });
  await test.step("a popular tool has a ticket above the catalogue, and its button asks a visitor to sign in", async () => {
    const popular = page.getByRole("list", { name: "Popular" }).getByRole("listitem");
    await expect(popular).toHaveText([/Premium Netflix Access/, /AI Humanizer/, /ChatGPT Pro/]);
    await expect(popular.nth(2)).toContainText("Works on: Laptop, Needs extension");
    for (const list of [popular, shop.cards])
      await expect(list.filter({ has: page.locator(".button-strong") })).toContainText([
        "Premium Netflix Access",
      ]);
    await expect(page.locator("header .button-strong")).toHaveCount(0);
    await popular.nth(1).getByRole("button", { name: "Get access: AI Humanizer" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await shop.signIn.button("Close").click();
    await shop.purchase.expectGone();
    await expect(page.getByRole("region", { name: "How it works" }).getByRole("listitem")).toHaveCount(3);
  });
  await test.step("the catalogue is sorted by price", async () => {
    await expect(shop.cards).toHaveCount(12);
    // The texts of cards outside the window, which are not laid out, are read too.
    const prices = (await shop.cards.allTextContents()).map(readPrice);
    expect(prices).toHaveLength(12);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    expect(prices.filter((price) => price > 0)).toHaveLength(11);
  });
  await test.step("a card shows the features, the price and the stock of a tool", async () => {
    const card = shop.card("ChatGPT Pro");
    // Four features and the line for the rest.
    await expect(card.getByRole("listitem")).toHaveCount(5);
    await expect(card.getByText("+4 more features")).toBeVisible();
    await expect(card.getByText("₹149", { exact: true })).toBeVisible();
    await expect(card.locator("s, del").filter({ hasText: "₹499" })).toBeVisible();
    await expect(card.getByText("7 days", { exact: true })).toBeVisible();
    await expect(card.getByText(/^\d+ left$/)).toBeVisible();
    // A free tool uses no unit.
    await expect(shop.card("Grammar Checker").getByText(/ left$/)).toHaveCount(0);
    await expect(shop.card("Stealth Writer").getByRole("button")).toHaveAccessibleName(
      "Contact about Stealth Writer",
    );
  });
  await test.step("a tool without stock is marked as out of stock and cannot be clicked", async () => {
    const card = shop.card("Udemy");
    await expect(card.getByRole("button")).toHaveAccessibleName("Out of stock Udemy");
    await expect(card.getByRole("button")).toBeDisabled();
    await expect(card.getByText(/ left$/)).toHaveCount(0);
    // Other cards can be clicked anywhere.
    await shop.heading("Udemy").click({ force: true });
    await card.getByRole("button").click({ force: true });
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await shop.heading("Canva").click({ force: true });
    await shop.signIn.expectAccount();
    await shop.signIn.button("Close").click();
    await shop.purchase.expectGone();
  });
  await test.step("the VPN card opens the chat", async () => {
    const contact = shop.card("Surfshark VPN").getByRole("link", { name: /^Contact\b/ });
    await expect(contact).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+/);
    await expect(contact).toHaveAttribute("target", "_blank");
    await expect(shop.card("Surfshark VPN").getByRole("button")).toHaveCount(0);
  });
  await test.step("a click on a card opens the sign-in dialog for a visitor", async () => {
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expect(shop.accountNav.getByRole("link", { name: "Support" })).toBeVisible();
    // A click anywhere on the card, because its button covers the card.
    await shop.card("Canva").getByText("Background remover").click({ force: true });
    await shop.signIn.expectAccount();
    await shop.signIn.button("Close").click();
    await shop.purchase.expectGone();
  });
  await test.step("the claims of the demo are marked as examples", async () => {
    await expect(page.getByRole("heading", { name: /^About / })).toBeVisible();
    await expect(page.getByText("Example figures of the demo shop.")).toBeVisible();
  });
  await test.step("the search filters the catalogue and can be cleared", async () => {
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.fill("chatgpt");
    await expect(shop.cards).toHaveCount(2);
    await search.fill("no such thing");
    await expect(shop.cards).toHaveCount(0);
    await page.getByRole("button", { name: "Show all tools" }).click();
    await expect(shop.cards).toHaveCount(12);
  });
  await test.step("the logo clears the search", async () => {
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.fill("canva");
    await expect(shop.cards).toHaveCount(1);
    // The address has the search now, and the router does not know it.
    await expect(page).toHaveURL(/\?q=canva$/);
    await page.getByRole("banner").getByRole("link", { name: "Daypass" }).click();
    await expect(shop.cards).toHaveCount(12);
    await expect(search).toHaveValue("");
    await expect(page).toHaveURL(/\/$/);
  });
});
