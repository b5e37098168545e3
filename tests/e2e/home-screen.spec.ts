import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import { test } from "./fixtures.ts";

test("a browser reads the manifest without an error, and its icons are served as what they are", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  const browser = await page.context().newCDPSession(page);
  const { errors, url, data = "" } = await browser.send("Page.getAppManifest");
  expect([errors, new URL(url).pathname]).toEqual([[], "/manifest.webmanifest"]);
  const { icons, ...manifest } = z
    .looseObject({ icons: z.array(z.object({ src: z.string() })) })
    .parse(JSON.parse(data));
  expect(manifest).toMatchObject({ name: "Daypass", start_url: "/dashboard", theme_color: "#f4a921" });
  for (const src of [...icons.map((icon) => icon.src), "/apple-touch-icon.png"])
    expect((await page.request.get(src)).headers()["content-type"], src).toBe("image/png");
});

/** Shows what is stored when the dashboard cannot be loaded, as the worker of earlier versions. */
const OLD_WORKER = `
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("fetch", (event) => {
    if (event.request.mode === "navigate")
      event.respondWith(fetch(event.request).catch(() => caches.match("/dashboard")));
  });
`;

/** The scopes of the workers and the names of the caches of this browser. */
const readStored = (page: Page) =>
  page.evaluate(async () => {
    const workers = await navigator.serviceWorker.getRegistrations();
    const scopes = workers.map(({ scope, active }) => `${new URL(scope).pathname} ${active?.state}`);
    return [...scopes.sort(), ...(await caches.keys())];
  });

/** Leaves in the browser what an earlier version did. */
async function installOldWorker(page: Page): Promise<void> {
  const address = "**/wallet-worker.js";
  await page
    .context()
    .route(address, (route) => route.fulfill({ contentType: "text/javascript", body: OLD_WORKER }));
  await page.evaluate(async () => {
    for (const scope of ["/dashboard", "/auth/sign-out"])
      await navigator.serviceWorker.register("/wallet-worker.js", { scope });
    const cache = await caches.open("wallet-1-019a-user");
    await cache.put("/dashboard", new Response('{"passes":[]}'));
  });
  const all = ["/auth/sign-out activated", "/dashboard activated", "wallet-1-019a-user"];
  await expect.poll(() => readStored(page)).toEqual(all);
  await page.context().unroute(address);
}

test("a browser with the service worker of an earlier version loses it and its caches", async ({
  shop,
  page,
  browserErrors,
}) => {
  await shop.open("/");
  await test.step("by the worker in its place, where no script of a page runs", async () => {
    await installOldWorker(page);
    const scripts = /\/assets\/.*\.js$/;
    await page.route(scripts, (route) => route.abort());
    await page.goto("/dashboard");
    await expect(page).toHaveURL(/\/$/);
    // The path of the sign-out is looked for when it is used.
    await expect.poll(() => readStored(page).catch(() => null)).toEqual(["/auth/sign-out activated"]);
    await page.unroute(scripts);
    browserErrors.length = 0;
  });
  await test.step("by each page, where the worker in its place does not arrive", async () => {
    await installOldWorker(page);
    const address = "**/wallet-worker.js";
    await page.context().route(address, (route) => route.abort());
    await shop.open("/giveaway");
    await expect.poll(() => readStored(page)).toEqual([]);
    await page.context().unroute(address);
  });
  await test.step("and then no worker answers for the dashboard", async () => {
    await page.context().setOffline(true);
    await expect(page.goto("/dashboard")).rejects.toThrow("ERR_INTERNET_DISCONNECTED");
    await page.context().setOffline(false);
    browserErrors.length = 0;
  });
});
