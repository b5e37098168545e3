import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { signInAsNewUser } from "./test-users.ts";

/** The moments of a page's start, from its first button to the time when nothing is left to do. */
const MOMENTS = [
  "button",
  "half of the document",
  "document",
  "first script",
  "third script",
  "all scripts",
  "first frame after the scripts",
  "start of React",
  "hydrated",
  "idle",
] as const;
type Moment = (typeof MOMENTS)[number];

/** Runs in the page before anything else: presses the button with this text as soon as the moment has come. */
function pressAt([moment, label]: readonly [Moment, string]): void {
  let pressed = false;
  const press = () => {
    const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);
    if (pressed) return;
    // The browser may load scripts that it has found before it has read the page up to the button.
    if (!button) return void setTimeout(press);
    pressed = true;
    // As a press of a pointer or a key does.
    button.focus();
    button.click();
  };
  const loadedScripts = () =>
    performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).length;
  const onScripts = (count: number, then: () => void) => {
    new PerformanceObserver((_, observer) => {
      if (loadedScripts() < count) return;
      observer.disconnect();
      then();
    }).observe({ type: "resource", buffered: true });
  };
  const preloads = () => document.querySelectorAll('link[rel="modulepreload"]').length;
  switch (moment) {
    case "button":
    case "half of the document":
      new MutationObserver((_, observer) => {
        const cards = document.querySelectorAll("main li button").length;
        if (cards < (moment === "button" ? 1 : 6)) return;
        press();
        if (pressed) observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
      break;
    case "document":
      addEventListener("DOMContentLoaded", press);
      break;
    case "first script":
      onScripts(1, press);
      break;
    case "third script":
      onScripts(3, press);
      break;
    case "all scripts":
      addEventListener("DOMContentLoaded", () => onScripts(preloads(), press));
      break;
    case "first frame after the scripts":
      addEventListener("DOMContentLoaded", () => onScripts(preloads(), () => requestAnimationFrame(press)));
      break;
    case "start of React": {
      // React listens to all events of the document before it hydrates it.
      const addEventListenerOfNode = document.addEventListener;
      document.addEventListener = (type: string, ...rest: [EventListener]) => {
        addEventListenerOfNode.call(document, type, ...rest);
        if (type === "pointerup") queueMicrotask(press);
      };
      break;
    }
    case "hydrated":
      new PerformanceObserver((list) => {
        if (list.getEntriesByName("page-hydrated").length > 0) press();
      }).observe({ type: "mark", buffered: true });
      break;
    case "idle":
      addEventListener("load", () => requestIdleCallback(press));
      break;
  }
}

/** A line of 800 kbit/s and a slow processor, so that each moment lasts. */
async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Network.enable");
  await devTools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 20,
    downloadThroughput: 100_000,
    uploadThroughput: 100_000,
  });
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 2 });
}

for (const moment of MOMENTS) {
  test(`a press is not lost: ${moment}`, async ({ shop, page }) => {
    await slowDown(page);
    await page.addInitScript(pressAt, [moment, "Get access to Canva"] as const);
    await page.goto("/", { waitUntil: "commit" });
    await shop.signIn.expectAccount();
    await expect(page.getByRole("dialog")).toHaveCount(1);
    await expect(page.locator("html")).not.toHaveAttribute("data-waiting");
    // The press has been handled once: nothing opens again.
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Get access to Canva", exact: true })).toBeFocused();
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(3);
  });
}

test("what a buyer types while the page starts stays in its field, key by key", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await slowDown(page);
  await page.goto("/", { waitUntil: "commit" });
  const search = page.getByRole("searchbox", { name: "Search tools" });
  await search.click();
  // As fast as the page starts: some keys are pressed before React and some after.
  for (const key of "netflix") {
    await page.keyboard.press(key);
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 250))),
    );
  }
  await shop.waitForHydration();
  await expect(search).toHaveValue("netflix");
  await expect(shop.cards).toHaveCount(1);
  await expect(page).toHaveURL("/?q=netflix");
});
