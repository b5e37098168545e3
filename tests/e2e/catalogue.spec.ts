import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { setStock } from "./payment-records.ts";
import { readStock } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test("a search with a typing mistake finds the tool, stays in the address, and survives a reload", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  await page.getByRole("searchbox", { name: "Search tools" }).fill("netflx");
  await expect(shop.cards).toHaveCount(1);
  await expect(shop.card("Premium Netflix Access")).toBeVisible();
  await expect(page).toHaveURL(/\/\?q=netflx$/);
  await shop.reload();
  await expect(shop.cards).toHaveCount(1);
  await page.getByRole("link", { name: "+2 more features of Premium Netflix Access" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Premium Netflix Access" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/\?q=netflx$/);
  await expect(shop.cards).toHaveCount(1);
});

test("a category filters the catalogue and is left by the back button", async ({ shop, page }) => {
  await shop.open("/");
  const categories = page.getByRole("navigation", { name: "Categories" });
  await categories.getByRole("link", { name: "Streaming" }).click();
  await expect(shop.cards).toHaveCount(2);
  await expect(page).toHaveURL(/\/\?category=streaming$/);
  await expect(categories.getByRole("link", { name: "Streaming" })).toHaveAttribute("aria-current", "true");
  await page.getByRole("searchbox").fill("canva");
  await expect(page.getByText("No tool matches “canva” in Streaming.")).toBeVisible();
  await page.getByRole("link", { name: "Show all tools" }).click();
  await expect(shop.cards).toHaveCount(12);
  await page.goBack();
  await expect(page).toHaveURL(/category=streaming/);
});

test("eight skeleton cards are shown while a category or a search is loading", async ({ shop, page }) => {
  await shop.open("/");
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\.data\?/, async (route) => {
    await released;
    await route.continue();
  });
  const skeletons = page.locator("#tools [aria-busy=true] li");
  await page.getByRole("link", { name: "Design", exact: true }).click();
  await expect(skeletons).toHaveCount(8);
  release?.();
  await expect(shop.cards).toHaveCount(1);
  await expect(skeletons).toHaveCount(0);
});

test("search and categories work without JavaScript", async ({ openOtherBrowser }) => {
  const { page, cards } = await openOtherBrowser({ javaScriptEnabled: false });
  await page.goto("/");
  await page.getByRole("searchbox", { name: "Search tools" }).fill("movies");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/\?q=movies$/);
  await expect(cards).toHaveCount(2);
  await page.goto("/");
  await page.getByRole("link", { name: "VPN", exact: true }).click();
  await expect(cards).toHaveCount(1);
});

test("a card shows without a reload that somebody else has bought the last pass", async ({
  shop,
  openOtherBrowser,
}) => {
  const tool = "hix-ai-assistant";
  const before = await readStock(tool);
  await setStock(tool, 1);
  await shop.open("/");
  const card = shop.card("HIX AI Assistant");
  await expect(card.getByText("1 left")).toBeVisible();
  const other = await openOtherBrowser();
  await other.page.goto("/");
  await signInAsNewUser(other.page);
  await buyPass(other.page, tool, "7 Days");
  await expect(card.getByRole("button")).toHaveAccessibleName("Out of stock HIX AI Assistant");
  await setStock(tool, before);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });

  test("the first price is on the first screen, and twelve tools take at most five", async ({
    shop,
    page,
  }) => {
    await shop.open("/");
    await expect(shop.cards.first().getByText("Free", { exact: true }).last()).toBeInViewport({ ratio: 1 });
    const heights = await shop.cards.evaluateAll((cards) => cards.map((card) => card.clientHeight));
    expect(Math.max(...heights)).toBeLessThanOrEqual(240);
    const list = await page.locator("#tools ul").last().boundingBox();
    expect(list?.height).toBeLessThanOrEqual(5 * 640);
    const hero = await page.locator("main > section").first().boundingBox();
    expect(hero?.height).toBeLessThanOrEqual(170);
  });

  test("what is typed after scrolling shows its results below the bar", async ({ shop, page }) => {
    await shop.open("/");
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await shop.cards.nth(8).scrollIntoViewIfNeeded();
    for (const typed of ["a", "canva"]) {
      await search.fill(typed);
      await expect(page.getByRole("status").filter({ hasText: /found/ })).toHaveCount(1);
      const [bar, first] = [await search.boundingBox(), await shop.cards.first().boundingBox()];
      expect(first?.y ?? 0).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
      await expect(shop.cards.first().getByRole("heading")).toBeInViewport({ ratio: 1 });
    }
  });

  test("the chat button covers no price and no button, wherever the visitor stops", async ({
    shop,
    page,
  }) => {
    await shop.open("/");
    const chat = page.getByRole("complementary", { name: "Support" });
    for (let y = 0; y < 1000; y += 90) {
      await page.evaluate((top) => window.scrollTo({ top }), y);
      await expect
        .poll(() => chat.evaluate(coveredByChat), { message: `scrolled to ${y}` })
        .toEqual({ visible: true, covered: [] });
    }
    await expect(chat.getByText("Chat with us")).toBeVisible();
    await chat.getByRole("button", { name: "Dismiss the chat label" }).tap();
    await expect(chat.getByText("Chat with us")).toHaveCount(0);
  });
});

/** Which prices and buttons of the page a box lies over. */
function coveredByChat(box: Element): { visible: boolean; covered: string[] } {
  const own = box.getBoundingClientRect();
  const others = [...document.querySelectorAll("main :is(button, a, [data-keep-clear])")];
  const covered = others.filter((other) => {
    const { left, right, top, bottom } = other.getBoundingClientRect();
    return left < own.right && right > own.left && top < own.bottom && bottom > own.top;
  });
  return {
    visible: getComputedStyle(box).opacity === "1",
    covered: covered.map((element) => element.textContent ?? ""),
  };
}
