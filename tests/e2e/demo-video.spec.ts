import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test as base } from "./fixtures.ts";
import { query, readSettings, restoreSettings } from "./shop-database.ts";

/** Answered by the test itself. Pages may embed a video by https only. */
const VIDEO_SITE = "https://video.example.com";
const VIDEO_PAGE =
  '<!doctype html><html lang="en"><title>The demo video</title><main><h1>The demo video</h1></main></html>';

interface VideoSite {
  /** The addresses of all requests to the site so far. */
  requests: string[];
}

const test = base.extend<{ videoSite: VideoSite }>({
  /** A site with a page for the video, whose link is in the settings of the shop until the test ends. */
  videoSite: async ({ shop: _, context }, provide) => {
    const requests: string[] = [];
    await context.route(`${VIDEO_SITE}/**`, async (route) => {
      requests.push(route.request().url());
      await route.fulfill({ contentType: "text/html", body: VIDEO_PAGE });
    });
    const settings = await readSettings();
    try {
      await query("update settings set value = value || $1::jsonb where key = 'store'", [
        JSON.stringify({ demoVideoUrl: `${VIDEO_SITE}/embed/1` }),
      ]);
      await provide({ requests });
    } finally {
      await restoreSettings(settings);
    }
  },
});

test("the demo video is requested after a click only, fills the screen, and is closed in each way", async ({
  shop,
  page,
  videoSite,
}) => {
  await shop.open("/");
  const open = page.getByRole("button", { name: "Watch the demo video" });
  const overlay = page.getByRole("dialog", { name: "Demo video" });
  const frame = page.locator("iframe");
  const video = page.frameLocator('iframe[title="Demo video"]');
  await test.step("the demo video is requested from its site only after a click, and fills the screen", async () => {
    await open.scrollIntoViewIfNeeded();
    await page.waitForLoadState("networkidle");
    expect(videoSite.requests).toEqual([]);
    expect(await page.content()).not.toContain("<iframe");

    await open.click();
    await expect(video.getByRole("heading", { name: "The demo video" })).toBeVisible();
    expect(videoSite.requests).toEqual([`${VIDEO_SITE}/embed/1`]);
    const size = page.viewportSize();
    expect(await overlay.boundingBox()).toEqual({ x: 0, y: 0, ...size });
    await page.keyboard.press("Escape");
    await expect(overlay).toHaveCount(0);
  });
  await test.step("Escape, the back button and the close button close the demo video", async () => {
    await open.focus();
    await page.keyboard.press("Enter");
    await expect(overlay.getByRole("button", { name: "Close" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(overlay).toHaveCount(0);
    await expect(frame).toHaveCount(0);
    await expect(open).toBeFocused();

    await open.click();
    await expect(overlay).toBeVisible();
    await page.goBack();
    await expect(overlay).toHaveCount(0);
    await expect(page).toHaveURL("/");

    await open.click();
    await overlay.getByRole("button", { name: "Close" }).click();
    await expect(overlay).toHaveCount(0);
    await expect(open).toBeFocused();
  });
  await open.click();
  await expect(video.getByRole("heading", { name: "The demo video" })).toBeVisible();
  await expectAccessible(page, "demo video", '[role="dialog"]');
});
