import { expect, type Route } from "@playwright/test";
import { test } from "./fixtures.ts";
import { setStock } from "./payment-records.ts";
import { readStock } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test("the catalogue is searched and filtered, with skeletons while it loads, and the address keeps both", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const search = page.getByRole("searchbox", { name: "Search tools" });
  const tool = "premium-netflix-access";
  const stockBefore = await readStock(tool);
  await setStock(tool, 1);
  await shop.open("/");

  await test.step("a category filters the catalogue and is left by the back button", async () => {
    const categories = page.getByRole("navigation", { name: "Categories" });
    await categories.getByRole("link", { name: "Streaming" }).click();
    await expect(shop.cards).toHaveCount(2);
    await expect(page).toHaveURL(/\/\?category=streaming$/);
    await expect(categories.getByRole("link", { name: "Streaming" })).toHaveAttribute("aria-current", "true");
    await search.fill("canva");
    await expect(page.getByText("No tool matches “canva” in Streaming.")).toBeVisible();
    // The search is written to the address a moment later.
    await expect(page).toHaveURL(/[?&]q=canva/);
    await page.getByRole("link", { name: "Show all tools" }).click();
    await expect(shop.cards).toHaveCount(12);
    await page.goBack();
    await expect(page).toHaveURL(/category=streaming/);
    await expect(search).toHaveValue("canva");
    await search.fill("");
    await expect(shop.cards).toHaveCount(2);
  });

  await test.step("eight skeleton cards are shown while a category or a search is loading", async () => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waitForRelease = async (route: Route) => {
      await released;
      await route.continue();
    };
    await page.route(/\.data\?/, waitForRelease);
    const skeletons = page.locator("#tools [aria-busy=true] li");
    await page.getByRole("link", { name: "Design", exact: true }).click();
    await expect(skeletons).toHaveCount(8);
    release?.();
    await expect(shop.cards).toHaveCount(1);
    await expect(skeletons).toHaveCount(0);
    await page.unroute(/\.data\?/, waitForRelease);
    await page.getByRole("link", { name: "All", exact: true }).click();
    await expect(shop.cards).toHaveCount(12);
  });

  await test.step("a search with a typing mistake finds the tool, stays in the address, and survives a reload", async () => {
    await search.fill("netflx");
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

  await test.step("a card shows without a reload that somebody else has bought the last pass", async () => {
    const card = shop.card("Premium Netflix Access");
    await expect(card.getByText("1 left")).toBeVisible();
    const other = await openOtherBrowser();
    await signInAsNewUser(other.page);
    await buyPass(other.page, tool, "7 Days");
    await expect(card.getByRole("button")).toHaveAccessibleName("Out of stock Premium Netflix Access");
    await card.getByRole("link", { name: "Tell me when it’s back Premium Netflix Access" }).click();
    await expect(page).toHaveURL(/\/shop\/premium-netflix-access$/);
    await expect(page.getByRole("button", { name: "Tell me when it’s back" })).toBeVisible();
    await setStock(tool, stockBefore);
  });
});

test("a long text that is pasted into the search leaves an address that loads again", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  await page.getByRole("searchbox").focus();
  await page.keyboard.insertText("नेटफ्लिक्स ".repeat(300));
  await expect(page).toHaveURL(/\?q=/);
  const response = await page.reload();
  expect(response?.status()).toBe(200);
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

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });

  test("the catalogue on a phone is short, its search stays in view, and the chat tab covers nothing of it", async ({
    shop,
    page,
  }) => {
    const popular = page.getByRole("list", { name: "Popular" }).getByRole("listitem");
    await page.clock.install();
    await shop.open("/");

    await test.step("three popular tools with their prices are on the first screen, and twelve tools take at most five", async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await expect(popular).toHaveCount(3);
      for (const ticket of await popular.all()) await expect(ticket).toBeInViewport({ ratio: 1 });
      await expect(popular.nth(2).getByText("₹149", { exact: true })).toBeInViewport({ ratio: 1 });
      await page.setViewportSize({ width: 390, height: 640 });
      const heights = await shop.cards.evaluateAll((cards) => cards.map((card) => card.clientHeight));
      expect(Math.max(...heights)).toBeLessThanOrEqual(240);
      const list = await page.locator("#tools ul").last().boundingBox();
      expect(list?.height).toBeLessThanOrEqual(5 * 640);
      const hero = await page.locator("main > section").first().boundingBox();
      expect(hero?.height).toBeLessThanOrEqual(170);
    });

    await test.step("the chat tab covers no price and no button, wherever the visitor stops", async () => {
      const chat = page.getByRole("complementary", { name: "Support" });
      for (let y = 0; y < 1000; y += 90) {
        await page.evaluate((top) => window.scrollTo({ top }), y);
        await expect.poll(() => chat.evaluate(coveredByChat), { message: `scrolled to ${y}` }).toEqual([]);
      }
      await page.clock.fastForward(15_000);
      await expect(chat.getByText("Chat with us")).toBeVisible();
      await page.mouse.wheel(0, 40);
      await expect(chat.getByText("Chat with us")).toHaveCount(0);
      await page.clock.fastForward(15_000);
      await chat.getByRole("button", { name: "Dismiss the chat label" }).tap();
      await expect(chat.getByText("Chat with us")).toHaveCount(0);
    });

    await test.step("the label of the chat covers no button of a card, wherever the visitor stops", async () => {
      await page.evaluate(() => localStorage.clear());
      await shop.reload();
      const label = page
        .getByRole("complementary", { name: "Support" })
        .getByText("Chat with us")
        .locator("..");
      let shown = 0;
      for (let y = 0; y < 1000; y += 90) {
        await page.evaluate((top) => window.scrollTo({ top }), y);
        await expect(label).toHaveCount(0);
        await page.clock.fastForward(15_000);
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
        if ((await label.count()) === 0) continue;
        shown += 1;
        const covered = await label.evaluate((element) => {
          const own = element.getBoundingClientRect();
          const isCovered = ({ left, right, top, bottom }: DOMRect) =>
            left < own.right && right > own.left && top < own.bottom && bottom > own.top;
          return [...document.querySelectorAll("main [data-ticket] button")]
            .filter((button) => isCovered(button.getBoundingClientRect()))
            .map(({ textContent }) => textContent);
        });
        expect(covered, `scrolled to ${y}`).toEqual([]);
      }
      expect(shown).toBeGreaterThan(2);
    });

    await test.step("what is typed after scrolling shows its results below the bar", async () => {
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

    await test.step("with fewer than three popular tools the catalogue is before the steps, and its first button on the first screen", async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      const stockBefore = await readStock("premium-netflix-access");
      await setStock("premium-netflix-access", 0);
      await shop.open("/");
      await expect(popular).toHaveCount(0);
      await page.evaluate(() => window.scrollTo(0, 0));
      await expect(shop.cards.first().getByRole("button")).toBeInViewport({ ratio: 1 });
      await expect(page.getByRole("main").getByRole("region").first()).toHaveAccessibleName("Tools");
      await setStock("premium-netflix-access", stockBefore);
    });
  });
});

/** Which prices a box lies over, and of which buttons it covers the middle. A row of links that scrolls ends at the edge. */
function coveredByChat(box: Element): string[] {
  const own = box.getBoundingClientRect();
  const prices = [...document.querySelectorAll("main *")].filter(
    ({ childElementCount, textContent }) => childElementCount === 0 && textContent?.startsWith("₹"),
  );
  const buttons = [...document.querySelectorAll("main :is(button, a)")];
  const covers = (left: number, right: number, { top, bottom }: DOMRect) =>
    left < own.right && right > own.left && top < own.bottom && bottom > own.top;
  return [
    ...prices.filter((price) => {
      const rect = price.getBoundingClientRect();
      return covers(rect.left, rect.right, rect);
    }),
    ...buttons.filter((button) => {
      const rect = button.getBoundingClientRect();
      const middle = (rect.left + rect.right) / 2;
      return covers(middle, middle, rect);
    }),
  ].map(({ textContent }) => textContent ?? "");
}
