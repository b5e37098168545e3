import { expect } from "@playwright/test";
import { test } from "./journey.ts";

/** The price on a card, in rupees: its first amount, which stands before the struck-through one. */
function priceOf(lines: readonly string[]): number {
  const price = lines.find((line) => /^₹[\d,.]+$/.test(line));
  return price === undefined ? 0 : Number(price.replace(/[₹,]/g, ""));
}

test("a visitor finds the catalogue, cheapest first", async ({ shop }) => {
  await shop.open("/");
  await expect(shop.cards).toHaveCount(12);
  const cards = await shop.cards.allInnerTexts();
  const prices = cards.map((text) => priceOf(text.split("\n")));
  expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  expect(prices.filter((price) => price > 0)).toHaveLength(11);
});

test("a card tells what a tool gives, costs and how many are left", async ({ shop }) => {
  await shop.open("/");
  const card = shop.card("ChatGPT Pro");
  // Four features and the line about the rest.
  await expect(card.getByRole("listitem")).toHaveCount(5);
  await expect(card.getByText("+4 more features")).toBeVisible();
  await expect(card.getByText("₹149", { exact: true })).toBeVisible();
  await expect(card.locator("s, del").filter({ hasText: "₹499" })).toBeVisible();
  await expect(card.getByText("7 days", { exact: true })).toBeVisible();
  await expect(card.getByText(/^\d+ left$/)).toBeVisible();
});

test("a tool without stock says so and cannot be pressed", async ({ shop }) => {
  await shop.open("/");
  const card = shop.card("Udemy");
  await expect(card.getByRole("button")).toHaveAccessibleName("Out of stock Udemy");
  await expect(card.getByRole("button")).toBeDisabled();
  await expect(card.getByText(/ left$/)).toHaveCount(0);
  // Other cards answer wherever they are pressed.
  await shop.heading("Udemy").click({ force: true });
  await card.getByRole("button").click({ force: true });
  await expect(shop.page.getByRole("dialog")).toHaveCount(0);
  await shop.heading("Canva").click({ force: true });
  await shop.signIn.expectView("Welcome");
});

test("the VPN is asked for in the chat", async ({ shop }) => {
  await shop.open("/");
  const contact = shop.card("Surfshark VPN").getByRole("link", { name: /^Contact\b/ });
  await expect(contact).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+/);
  await expect(contact).toHaveAttribute("target", "_blank");
  await expect(shop.card("Surfshark VPN").getByRole("button")).toHaveCount(0);
});

test("a signed-out press on a card asks who it is", async ({ shop }) => {
  await shop.open("/");
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  await expect(shop.accountNav.getByRole("link", { name: "Support" })).toBeVisible();
  // Anywhere on the card, not only on its button, which lies over all of it.
  await shop.card("Canva").getByText("+3 more features").click({ force: true });
  await shop.signIn.expectView("Welcome");
  await shop.signIn.button("Close").click();
  await shop.purchase.expectGone();
});

test("the search narrows the catalogue and forgets it again", async ({ shop }) => {
  await shop.open("/");
  const search = shop.page.getByRole("searchbox", { name: "Search tools" });
  await search.fill("chatgpt");
  await expect(shop.cards).toHaveCount(2);
  await search.fill("no such thing");
  await expect(shop.cards).toHaveCount(0);
  await shop.page.getByRole("button", { name: "Show all tools" }).click();
  await expect(shop.cards).toHaveCount(12);
});

test("the catalogue can be read without scripts", async ({ newcomer }) => {
  const { page, cards } = await newcomer({ javaScriptEnabled: false });
  await page.goto("/");
  await expect(cards).toHaveCount(12);
  await expect(cards.last().getByText("₹399", { exact: true })).toBeVisible();
  await expect(page.getByText("Test payments", { exact: true })).toBeVisible();
});

test("an address that leads nowhere says so", async ({ shop }) => {
  const answer = await shop.page.goto("/no/such/page");
  expect(answer?.status()).toBe(404);
  await shop.page.getByRole("link", { name: "Go to Homepage" }).click();
  await expect(shop.cards).toHaveCount(12);
});
