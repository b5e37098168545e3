import { globSync, readFileSync, rmSync } from "node:fs";
import { expect } from "@playwright/test";
import { freePort } from "../free-port.ts";
import { takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";

const PARTS = ["Primitives", "Fields", "Tools", "Passes", "Purchases", "Dialogs", "Tables"];

test("the built shop has no page /dev/ui", async ({ newClient }) => {
  const { request } = await newClient();
  expect((await request.get("/dev/ui")).status()).toBe(404);
  const files = globSync("build/{client/assets/manifest-*,server/**/*}.js");
  const filesWith = (text: string) => files.filter((file) => readFileSync(file, "utf8").includes(text));
  expect(filesWith('"dashboard"').length, "files with the list of routes").toBeGreaterThan(1);
  expect([...filesWith("dev/ui"), ...filesWith("dev-ui")]).toEqual([]);
});

test("the development server shows all parts of the screens on one page in both widths, schemes and languages", async ({
  openOtherBrowser,
}) => {
  // A picture of a page of this height takes seconds.
  test.slow();
  const dataDir = makeDataDir();
  const settings = { ADMIN_PASSWORD };
  const server = await startShopProcess({ dataDir, port: await freePort(), command: "dev", settings });
  try {
    const browser = await openOtherBrowser({ baseURL: server.url });
    const { page } = browser;
    await browser.open("/dev/ui");
    for (const language of ["English", "Hindi"]) {
      if (language === "Hindi") await page.getByRole("button", { name: "हिन्दी", exact: true }).click();
      await expect(page.locator("html")).toHaveAttribute("lang", language === "Hindi" ? "hi-IN" : "en-IN");
      await browser.waitForHydration();
      for (const width of [1280, 390])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          for (const name of PARTS) {
            const part = page.getByRole("region", { name, exact: true });
            await expect(part).toBeVisible();
            await takeScreenshot(page, `dev-ui ${name} ${language} ${width} ${colorScheme}`, part);
          }
          const overflowPx = await page.evaluate(
            () => document.documentElement.scrollWidth - window.innerWidth,
          );
          expect(overflowPx, `scrolls sideways at ${width}`).toBeLessThanOrEqual(0);
        }
    }
    // An open page reports that the server has gone.
    await page.context().close();
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
