import { expect, type Route } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
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
    const entries = await page.evaluate(() => history.length);
    await search.press("Enter");
    await expect(page.getByText("No tool matches “canva” in Streaming.")).toBeVisible();
    expect(await page.evaluate(() => history.length)).toBe(entries);
    await expect(
      page.locator("#tools").getByRole("link", { name: "Canva", exact: true }),
      "offered from another category",
    ).toHaveAttribute("href", "/shop/canva");
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

  await test.step("a search finds texts that no card shows, also after they could not be loaded", async () => {
    const texts = "**/more-texts";
    await shop.open("/");
    await page.route(texts, (route) => route.fulfill({ body: "" }));
    await search.fill("certif");
    await expect(page.getByText("Nothing found")).toBeVisible();
    await page.unroute(texts);
    await search.fill("certifications");
    await expect(shop.card("Udemy")).toBeVisible();
    await expect(shop.cards).toHaveCount(1);
    await expect(page).toHaveURL(/q=certifications$/);
    await page.route(texts, (route) => route.fulfill({ body: "" }));
    await shop.reload();
    await expect(shop.cards).toHaveCount(1);
    await page.unroute(texts);
    await search.fill("netflx");
    await expect(page).toHaveURL(/q=netflx$/);
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

test("a search without a result offers the nearest names and leads to the chat with what was typed", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  await page.getByRole("searchbox").fill(" canvas & hotstar 50% ");
  const tools = page.locator("#tools");
  await expect(tools.getByText("No tool matches “canvas & hotstar 50%”.")).toBeVisible();
  const ask = tools.getByRole("link", { name: "Ask us for “canvas & hotstar 50%” on WhatsApp" });
  const address = new URL((await ask.getAttribute("href")) ?? "");
  expect(address.origin + address.pathname).toMatch(/^https:\/\/wa\.me\/\d+$/);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    text: "Hello, do you have “canvas & hotstar 50%”?",
  });
  await expectAccessible(page, "nothing found", "#tools");
  await tools.getByRole("link", { name: "Canva", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Canva" })).toBeVisible();

  await test.step("a text that is too long to be searched is not asked for", async () => {
    await shop.open(`/?q=${"x".repeat(101)}`);
    await expect(page.getByText("A search has at most 100 characters.")).toBeVisible();
    await expect(tools.getByRole("link", { name: /on WhatsApp$/ })).toHaveCount(0);
  });
});

for (const width of [360, 390, 640, 1024, 1280, 1440]) {
  test(`the chat tab covers no text, no price, no link and no button of a page, at ${width} px`, async ({
    shop,
    page,
  }) => {
    await page.setViewportSize({ width, height: 740 });
    for (const path of ["/", "/shop/canva", "/?q=hotstar"]) {
      await shop.open(path);
      const chat = page.getByRole("complementary", { name: "Support" }).getByRole("link");
      expect(await chat.evaluate(findCovered), path).toEqual([]);
    }
  });
}

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
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/");
  await page.getByRole("link", { name: "Search tools" }).click();
  await expect(page.getByRole("searchbox", { name: "Search tools" })).toBeFocused();
  await expect(page.getByRole("searchbox", { name: "Search tools" })).toBeInViewport({ ratio: 1 });
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

  test("the catalogue on a phone is short, its search stays in view, and the label of the chat covers no button of it", async ({
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
      // A description has two lines.
      expect(Math.max(...heights)).toBeLessThanOrEqual(260);
      const list = await page.locator("#tools ul").last().boundingBox();
      expect(list?.height).toBeLessThanOrEqual(5 * 640);
      const hero = await page.locator("main > section").first().boundingBox();
      expect(hero?.height).toBeLessThanOrEqual(170);
    });

    await test.step("the search in the header leads to the field, with the results below it and above the keyboard", async () => {
      const search = page.getByRole("searchbox", { name: "Search tools" });
      await page.getByRole("banner").getByRole("link", { name: "Search tools" }).tap();
      await expect(search).toBeFocused();
      await page.setViewportSize({ width: 390, height: 380 });
      for (const typed of ["", "canva"]) {
        await search.pressSequentially(typed);
        const box = await search.boundingBox();
        expect(box?.y).toBeGreaterThanOrEqual(0);
        expect(box?.y).toBeLessThan(40);
        await expect(shop.cards.first().getByRole("heading")).toBeInViewport({ ratio: 1 });
        await expect(shop.cards.first().getByRole("button")).toBeInViewport({ ratio: 1 });
      }
      await expect(shop.cards).toHaveCount(1);
      await search.fill("");
      await search.blur();
      await page.setViewportSize({ width: 390, height: 640 });
      await page.evaluate(() => window.scrollTo(0, 0));
      await test.step("also when the field itself is tapped", async () => {
        await search.tap();
        await expect.poll(async () => (await search.boundingBox())?.y).toBeLessThan(40);
        await search.blur();
      });
    });

    await test.step("the label of the chat comes after a while, goes with the next scroll, and can be dismissed", async () => {
      const chat = page.getByRole("complementary", { name: "Support" });
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

    await test.step("without one of them two are left; with one the catalogue is before the steps, and its first button on the first screen", async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      const popularTools = ["premium-netflix-access", "aihumanizer"];
      const stocksBefore = await Promise.all(popularTools.map(readStock));
      for (const [at, slug] of popularTools.entries()) {
        await setStock(slug, 0);
        await shop.open("/");
        await expect(popular).toHaveCount(at === 0 ? 2 : 0);
      }
      await page.evaluate(() => window.scrollTo(0, 0));
      await expect(shop.cards.first().getByRole("button")).toBeInViewport({ ratio: 1 });
      await expect(page.getByRole("main").getByRole("region").first()).toHaveAccessibleName("Tools");
      for (const [at, slug] of popularTools.entries()) await setStock(slug, stocksBefore[at] ?? 0);
    });
  });
});

/** What the element, which stays in its place, covers of the page while it is scrolled from its top to its end. */
async function findCovered(element: Element): Promise<string[]> {
  const found = new Set<string>();
  const own = element.getBoundingClientRect();
  const isCovered = (part: Element, { left, right, top, bottom }: DOMRect) => {
    // A row that scrolls shows what is inside of it only.
    const row = part.closest("nav")?.getBoundingClientRect();
    return (
      Math.max(left, row?.left ?? left) < own.right &&
      Math.min(right, row?.right ?? right) > own.left &&
      top < own.bottom &&
      bottom > own.top
    );
  };
  const parts = [...document.querySelectorAll("main *, footer *")].filter(
    (part) =>
      part.matches("a, button, input, summary") ||
      [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
  );
  for (let y = 0; y < document.documentElement.scrollHeight; y += 70) {
    window.scrollTo(0, y);
    // A browser under load may paint nothing for minutes, and the places are known without a painted frame.
    await Promise.race([new Promise(requestAnimationFrame), new Promise((end) => setTimeout(end, 1_000))]);
    for (const part of parts)
      if (
        part.checkVisibility() &&
        !part.closest(".sr-only") &&
        isCovered(part, part.getBoundingClientRect())
      )
        found.add(part.textContent || part.outerHTML);
  }
  return [...found];
}
