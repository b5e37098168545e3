import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";

/** The price on a card, in rupees: the first amount, before the struck-through one. */
function readPrice(lines: readonly string[]): number {
  const price = lines.find((line) => /^₹[\d,.]+$/.test(line));
  return price === undefined ? 0 : Number(price.replace(/[₹,]/g, ""));
}

test("a visitor sees the catalogue sorted by price", async ({ shop }) => {
  await shop.open("/");
  await expect(shop.cards).toHaveCount(12);
  const cards = await shop.cards.allInnerTexts();
  const prices = cards.map((text) => readPrice(text.split("\n")));
  expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  expect(prices.filter((price) => price > 0)).toHaveLength(11);
});

test("a card shows the features, the price and the stock of a tool", async ({ shop }) => {
  await shop.open("/");
  const card = shop.card("ChatGPT Pro");
  // Four features and the line for the rest.
  await expect(card.getByRole("listitem")).toHaveCount(5);
  await expect(card.getByText("+4 more features")).toBeVisible();
  await expect(card.getByText("₹149", { exact: true })).toBeVisible();
  await expect(card.locator("s, del").filter({ hasText: "₹499" })).toBeVisible();
  await expect(card.getByText("7 days", { exact: true })).toBeVisible();
  await expect(card.getByText(/^\d+ left$/)).toBeVisible();
});

test("a tool without stock is marked as out of stock and cannot be clicked", async ({ shop }) => {
  await shop.open("/");
  const card = shop.card("Udemy");
  await expect(card.getByRole("button")).toHaveAccessibleName("Out of stock Udemy");
  await expect(card.getByRole("button")).toBeDisabled();
  await expect(card.getByText(/ left$/)).toHaveCount(0);
  // Other cards can be clicked anywhere.
  await shop.heading("Udemy").click({ force: true });
  await card.getByRole("button").click({ force: true });
  await expect(shop.page.getByRole("dialog")).toHaveCount(0);
  await shop.heading("Canva").click({ force: true });
  await shop.signIn.expectView("Welcome");
});

test("the VPN card opens the chat", async ({ shop }) => {
  await shop.open("/");
  const contact = shop.card("Surfshark VPN").getByRole("link", { name: /^Contact\b/ });
  await expect(contact).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+/);
  await expect(contact).toHaveAttribute("target", "_blank");
  await expect(shop.card("Surfshark VPN").getByRole("button")).toHaveCount(0);
});

test("a click on a card opens the sign-in dialog for a visitor", async ({ shop }) => {
  await shop.open("/");
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  await expect(shop.accountNav.getByRole("link", { name: "Support" })).toBeVisible();
  // A click anywhere on the card, because its button covers the card.
  await shop.card("Canva").getByText("Background remover").click({ force: true });
  await shop.signIn.expectView("Welcome");
  await shop.signIn.button("Close").click();
  await shop.purchase.expectGone();
});

test("the search filters the catalogue and can be cleared", async ({ shop }) => {
  await shop.open("/");
  const search = shop.page.getByRole("searchbox", { name: "Search tools" });
  await search.fill("chatgpt");
  await expect(shop.cards).toHaveCount(2);
  await search.fill("no such thing");
  await expect(shop.cards).toHaveCount(0);
  await shop.page.getByRole("button", { name: "Show all tools" }).click();
  await expect(shop.cards).toHaveCount(12);
});

test("the logo clears the search", async ({ shop }) => {
  await shop.open("/");
  const search = shop.page.getByRole("searchbox", { name: "Search tools" });
  await search.fill("canva");
  await expect(shop.cards).toHaveCount(1);
  // The address has the search now, and the router does not know it.
  await expect(shop.page).toHaveURL(/\?q=canva$/);
  await shop.page.getByRole("banner").getByRole("link", { name: "Daypass" }).click();
  await expect(shop.cards).toHaveCount(12);
  await expect(search).toHaveValue("");
  await expect(shop.page).toHaveURL(/\/$/);
});

test("the catalogue is readable without JavaScript, and the page says what needs it", async ({
  openOtherBrowser,
}) => {
  const { page, cards } = await openOtherBrowser({ javaScriptEnabled: false });
  await page.goto("/");
  await expect(cards).toHaveCount(12);
  await expect(cards.last().getByText("₹399", { exact: true })).toBeVisible();
  await expect(page.getByText("Test payments", { exact: true })).toBeVisible();
  for (const path of ["/", "/shop/canva", "/sign-in", "/reset-password?token=none"]) {
    await page.goto(path);
    await expect(
      page.getByText(/Buying a pass and showing access codes need JavaScript\.$/),
      path,
    ).toBeVisible();
  }
});

test("an unknown address shows the not-found page", async ({ shop }) => {
  const response = await shop.page.goto("/no/such/page");
  expect(response?.status()).toBe(404);
  await shop.page.getByRole("link", { name: "Go to Homepage" }).click();
  await expect(shop.cards).toHaveCount(12);
});
