import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { unzipSync } from "fflate";
import { wholeBrowser } from "../../playwright.config.ts";
import { ShopPage } from "./shop-page.ts";

/** A browser with the extension of a shop. */
export interface ExtensionBrowser {
  shop: ShopPage;
  context: BrowserContext;
  extensionId: string;
  openPopup(): Promise<Page>;
  close(): Promise<void>;
}

/** Downloads a zip of the extension as a buyer does. */
export async function downloadExtension(
  shopUrl: string,
  browser: "chrome" | "firefox",
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(`${shopUrl}/downloads/daypass-${browser}.zip`);
  if (!response.ok) throw new Error(`the download was answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Starts a browser of its own in which the downloaded extension is installed. */
export async function openBrowserWithExtension(shopUrl: string): Promise<ExtensionBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "daypass-e2e-extension-"));
  const installed = join(folder, "extension");
  const files = unzipSync(await downloadExtension(shopUrl, "chrome"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(installed, path)), { recursive: true });
    writeFileSync(join(installed, path), content);
  }
  const launch = wholeBrowser();
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    ...launch,
    baseURL: shopUrl,
    permissions: ["clipboard-read", "clipboard-write"],
    args: [
      ...launch.args,
      "--headless=new",
      `--disable-extensions-except=${installed}`,
      `--load-extension=${installed}`,
    ],
  });
  context.setDefaultTimeout(20_000);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const extensionId = new URL(worker.url()).host;
  return {
    shop: new ShopPage(await context.newPage()),
    context,
    extensionId,
    async openPopup() {
      const popup = await context.newPage();
      await popup.setViewportSize({ width: 340, height: 560 });
      await popup.goto(`chrome-extension://${extensionId}/popup.html`);
      return popup;
    },
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
