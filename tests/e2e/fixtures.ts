import { rmSync } from "node:fs";
import {
  type APIRequestContext,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  type ConsoleMessage,
  expect,
} from "@playwright/test";
import { freePort } from "../free-port.ts";
import { query } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { recordSuccessPanels } from "./success-panels.ts";
import type { Client } from "./test-users.ts";
import { translatePages } from "./translated-page.ts";

interface Fixtures {
  /** Whether the popup of the giveaway appears. Without it, it covers nothing in tests about something else. */
  showsGiveaway: boolean;
  /** Whether the browser translates each page. `TRANSLATED=1` has it in all tests. */
  isTranslated: boolean;
  /** Errors of browser and server. A test fails when any is left at its end. */
  browserErrors: string[];
  /** The shop in the browser of the test. */
  shop: ShopPage;
  /** The shop in another browser, for another person. */
  openOtherBrowser: (options?: BrowserContextOptions) => Promise<ShopPage>;
  /** Another person who only sends requests, because a page costs a process of the browser. */
  newClient: () => Promise<Client>;
}

interface WorkerFixtures {
  /** The address of the shop that the worker's tests share, with a database of its own. */
  sharedShopUrl: string;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  sharedShopUrl: [
    async ({ browserName: _ }, provide) => {
      const dataDir = makeDataDir();
      try {
        const shop = await startShopProcess({
          dataDir,
          port: await freePort(),
          settings: { ADMIN_PASSWORD },
        });
        // This process runs tests of this shop only; helpers that read the database use these variables.
        process.env.E2E_BASE_URL = shop.url;
        process.env.E2E_DATA_DIR = dataDir;
        // Nearly every journey buys it, and all of them share one shop.
        await query("update tools set available_stock = 500 where slug = 'canva'", []);
        await provide(shop.url);
        await shop.stop();
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    { scope: "worker", timeout: 240_000 },
  ],
  baseURL: async ({ sharedShopUrl }, provide) => {
    await provide(sharedShopUrl);
  },
  showsGiveaway: [false, { option: true }],
  isTranslated: [process.env.TRANSLATED === "1", { option: true }],
  browserErrors: [
    async ({ context, showsGiveaway, isTranslated }, provide) => {
      const browserErrors: string[] = [];
      if (isTranslated) await translatePages(context);
      if (!showsGiveaway) await hideGiveaway(context);
      collectBrowserErrors(context, browserErrors);
      await recordSuccessPanels(context);
      await provide(browserErrors);
      expect(browserErrors, "no errors in the browser or the server").toEqual([]);
    },
    { auto: true },
  ],
  shop: async ({ page }, provide) => {
    await provide(new ShopPage(page));
  },
  openOtherBrowser: async ({ browser, baseURL, browserErrors, showsGiveaway, isTranslated }, provide) => {
    const contexts: Array<{ close(): Promise<void> }> = [];
    await provide(async (options = {}) => {
      const context = await browser.newContext({ ...(baseURL && { baseURL }), ...options });
      contexts.push(context);
      if (isTranslated) await translatePages(context);
      if (!showsGiveaway) await hideGiveaway(context);
      collectBrowserErrors(context, browserErrors);
      await recordSuccessPanels(context);
      return new ShopPage(await context.newPage());
    });
    for (const context of contexts) await context.close();
  },
  newClient: async ({ playwright, baseURL }, provide) => {
    const contexts: APIRequestContext[] = [];
    await provide(async () => {
      const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) });
      contexts.push(request);
      return { request, url: () => baseURL ?? "" };
    });
    for (const context of contexts) await context.dispose();
  },
});

/** A browser that has seen the giveaway of today does not show it again. */
async function hideGiveaway(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    try {
      localStorage.setItem("giveaway-shown-until", "9e15");
    } catch {
      // A frame with an opaque origin, such as the gateway's, has no storage and shows no giveaway.
    }
  });
}

/** Expected refusals also appear in the console. A missing asset of the page is an error. */
const CLIENT_ERROR_RESPONSE = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * The router stops a load that a submission replaces. When the first line of its response has been read, the router
 * leaves two promises without a handler (vendor/turbo-stream-v2: `done`); the page is not affected.
 */
const STOPPED_LOAD = "AbortError: signal is aborted without reason\n";

/** Collects script errors, console errors and warnings, blocked content and server errors. */
function collectBrowserErrors(context: BrowserContext, browserErrors: string[]): void {
  context.on("console", (message) => {
    if (isBrowserError(message)) browserErrors.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (problem) => {
    const text = problem.error().stack ?? problem.error().message;
    if (!text.startsWith(STOPPED_LOAD) || !text.includes("/assets/framework-"))
      browserErrors.push(`script: ${text}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 500) browserErrors.push(`${response.status()} from ${response.url()}`);
  });
}

/** What the browser reports of requests that the test cut off. */
const LOST_REQUEST = /ERR_INTERNET_DISCONNECTED|ERR_FAILED/;

/** Fails when the browser reported anything but requests without a connection, and forgets these. */
export function expectOnlyLostRequests(browserErrors: string[]): void {
  expect(browserErrors.filter((error) => !LOST_REQUEST.test(error))).toEqual([]);
  browserErrors.length = 0;
}

function isBrowserError(message: ConsoleMessage): boolean {
  if (message.type() !== "error" && message.type() !== "warning") return false;
  const asset = message.location().url.includes("/assets/");
  return asset || !CLIENT_ERROR_RESPONSE.test(message.text());
}
