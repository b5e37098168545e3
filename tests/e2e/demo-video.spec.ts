import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test as base } from "./fixtures.ts";
import { query, readSettings, restoreSettings } from "./shop-database.ts";

/** Answered by the test itself. Pages may embed a video by https only. */
const VIDEO_SITE = "https://video.example.com";
const VIDEO_PAGE =
  '<!doctype html><html lang="en"><title>The demo video</title><main><h1>The demo video</h1></main></html>';

const VIDEO_LINK = `${VIDEO_SITE}/embed/1`;

/** Changes the setting; null removes it. */
const setVideo = (demoVideoUrl: string | null) =>
  query(`update settings set value = jsonb_strip_nulls(value || $1::jsonb) where key = 'store'`, [
    JSON.stringify({ demoVideoUrl }),
  ]);

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
      await setVideo(VIDEO_LINK);
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
  await test.step("a shop without a demo video does not mention one, and the video of the demo is played from the shop", async () => {
    const overlay = page.getByRole("dialog", { name: "Demo video" });
    const open = page.getByRole("button", { name: "Watch the demo video" });
    await setVideo(null);
    await shop.open("/");
    await expect(page.getByRole("region", { name: "How it works" })).toBeVisible();
    await expect(open).toHaveCount(0);
    await setVideo("/demo-video.webm");
    await shop.open("/");
    await open.click();
    const played = () =>
      overlay.locator("video").evaluate((video) => (video as HTMLVideoElement).currentTime > 0);
    await expect.poll(played).toBe(true);
    await page.keyboard.press("Escape");
    const part = await page.request.get("/demo-video.webm", { headers: { range: "bytes=-100" } });
    expect([part.status(), part.headers()["content-length"]]).toEqual([206, "100"]);
    const start = await page.request.get("/demo-video.webm", { headers: { range: "bytes=4-7" } });
    expect(start.headers()["content-range"]).toMatch(/^bytes 4-7\/\d+$/);
    const beyond = await page.request.get("/demo-video.webm", { headers: { range: "bytes=99999999-" } });
    expect(beyond.status()).toBe(416);
    await setVideo(VIDEO_LINK);
  });
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
